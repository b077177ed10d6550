// Reads secrets: typed without being shown on a terminal, or as lines of stdin.
import { createInterface } from 'node:readline/promises'
import { text } from 'node:stream/consumers'
import { Writable } from 'node:stream'
import { UsageError } from './options.ts'
import type { Terminal } from './terminal.ts'

type Ask = (question: string) => Promise<string>

/**
 * Asks for a password on stderr, twice; Ctrl-C is an empty answer. Without a terminal it is the first line of stdin.
 * @throws UsageError when the two are not the same, or nothing came
 */
export async function readPassword(terminal: Terminal): Promise<string> {
  if (!terminal.isInteractive) {
    const [line = ''] = await linesOf(terminal)
    if (line === '') throw new UsageError('there is no password on stdin')
    return line
  }
  return await hidden(terminal, async (ask) => {
    const password = await ask('New password: ')
    if (password === '') throw new UsageError('no password was typed')
    if ((await ask('The same again: ')) !== password) throw new UsageError('the two passwords are not the same')
    return password
  })
}

/** One answer for each question, asked on stderr; without a terminal one line of stdin each. An empty answer is empty. */
export async function readSecrets(terminal: Terminal, questions: readonly string[]): Promise<string[]> {
  if (questions.length === 0) return []
  if (!terminal.isInteractive) {
    const lines = await linesOf(terminal)
    return questions.map((_, at) => lines[at] ?? '')
  }
  return await hidden(terminal, async (ask) => {
    const answers: string[] = []
    for (const question of questions) answers.push(await ask(question))
    return answers
  })
}

const linesOf = async ({ stdin }: Terminal): Promise<string[]> => (await text(stdin)).split(/\r?\n/)

/** One reader for all answers: between two, the terminal would show what is typed early. What is typed goes nowhere. */
async function hidden<T>(terminal: Terminal, work: (ask: Ask) => Promise<T>): Promise<T> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input: terminal.stdin, output: nowhere, terminal: true, historySize: 0 })
  const ended = new Promise<string>((resolve) => lines.once('close', () => resolve('')))
  try {
    return await work(async (question) => {
      terminal.stderr.write(question)
      const typed = await Promise.race([lines.question(''), ended])
      terminal.stderr.write('\n')
      return typed
    })
  } finally {
    lines.close()
  }
}
