// Where a command reads and writes: the real streams of the process in one place, with what a terminal can do and a pipe cannot.
import { createInterface } from 'node:readline/promises'
import { styleText } from 'node:util'
import type { Readable, Writable } from 'node:stream'
import { environment } from '../config/process-environment.ts'

export type Environment = Readonly<Record<string, string | undefined>>
export type Style = 'bold' | 'dim' | 'green' | 'yellow' | 'red' | 'cyan'

export interface Terminal {
  readonly env: Environment
  readonly stdin: Readable
  readonly stdout: Writable
  readonly stderr: Writable
  /** True when a person reads stdout: the only place where a secret may appear unasked. */
  readonly outIsTerminal: boolean
  readonly errIsTerminal: boolean
  /** True when a person can answer a question. */
  readonly isInteractive: boolean
  /** Columns of the terminal; 80 when there is none. */
  readonly columns: number
  /** Writes one line to stdout. */
  out(line?: string): void
  /** Writes one line to stderr. */
  err(line: string): void
  /** Colours text for stdout, or returns it unchanged without a terminal or under NO_COLOR. */
  style(style: Style, text: string): string
  /** Asks on stderr and reads one line; empty when stdin ends instead. */
  ask(question: string): Promise<string>
}

/**
 * The terminal of this process.
 * A reader that goes away (`crow tools | head -1`) ends the process quietly.
 */
export function processTerminal(from: NodeJS.Process): Terminal {
  const { stdin, stdout, stderr } = from
  const leaveQuietly = (error: NodeJS.ErrnoException): void => {
    if (error.code !== 'EPIPE') throw error
    from.exit(0)
  }
  stdout.on('error', leaveQuietly)
  stderr.on('error', leaveQuietly)
  return {
    env: environment(),
    stdin,
    stdout,
    stderr,
    outIsTerminal: stdout.isTTY,
    errIsTerminal: stderr.isTTY,
    isInteractive: stdin.isTTY && stderr.isTTY,
    columns: stdout.columns ?? 80,
    out: (line = '') => void stdout.write(`${line}\n`),
    err: (line) => void stderr.write(`${line}\n`),
    style: (style, text) => styleText(style, text, { stream: stdout }),
    ask: (question) => ask(stdin, stderr, question),
  }
}

async function ask(input: Readable, output: Writable, question: string): Promise<string> {
  const lines = createInterface({ input, output })
  const ended = new Promise<string>((resolve) => lines.once('close', () => resolve('')))
  try {
    return (await Promise.race([lines.question(question), ended])).trim()
  } finally {
    lines.close()
  }
}
