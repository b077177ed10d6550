// Reads a password: typed twice without being shown on a terminal, or as the first line of stdin.
import { createInterface } from 'node:readline/promises'
import { text } from 'node:stream/consumers'
import { Writable } from 'node:stream'
import { UsageError } from './options.ts'
import type { Terminal } from './terminal.ts'

/**
 * Asks on stderr; what is typed goes nowhere, and Ctrl-C is an empty answer.
 * @throws UsageError when the two are not the same, or nothing came
 */
export async function readPassword(terminal: Terminal): Promise<string> {
  if (!terminal.isInteractive) {
    const [line = ''] = (await text(terminal.stdin)).split(/\r?\n/)
    if (line === '') throw new UsageError('there is no password on stdin')
    return line
  }
  // One reader for both answers: between two, the terminal would show what is typed early.
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input: terminal.stdin, output: nowhere, terminal: true, historySize: 0 })
  const ended = new Promise<string>((resolve) => lines.once('close', () => resolve('')))
  const ask = async (question: string): Promise<string> => {
    terminal.stderr.write(question)
    const typed = await Promise.race([lines.question(''), ended])
    terminal.stderr.write('\n')
    return typed
  }
  try {
    const password = await ask('New password: ')
    if (password === '') throw new UsageError('no password was typed')
    if ((await ask('The same again: ')) !== password) throw new UsageError('the two passwords are not the same')
    return password
  } finally {
    lines.close()
  }
}
