// Other processes for the tests of this folder: how they are started, asked, and ended.
import { spawn } from 'node:child_process'
import type { ChildProcessByStdio } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'

/** What a child says, one JSON object a line. */
export type Answer = Readonly<Record<string, unknown>>

export interface Child {
  readonly process: ChildProcessByStdio<Writable, Readable, null>
  /** Sends one request and waits for the next answer. */
  ask(request: object): Promise<Answer>
  /** The next answer; rejects when the child ends first. */
  next(): Promise<Answer>
  /** Ends the child by the given signal and waits until it is gone. What it had said before can still be read. */
  end(signal?: NodeJS.Signals): Promise<void>
}

export interface StartOptions {
  /** Runs the child under another program: `['sh', '-c', 'ulimit …; exec "$@"', '-']`. */
  readonly under?: readonly string[]
  readonly uid?: number
  readonly cwd?: string
  /** Beside the environment of the test. */
  readonly env?: Readonly<Record<string, string>>
}

const loader = join(import.meta.dirname, '../../fast-drizzle.mjs')

/** Starts `node <script> <args>` and collects its answers. The caller ends it, also where a test fails (`t.after`). */
export function startChild(script: string, args: readonly string[] = [], options: StartOptions = {}): Child {
  const [program = process.execPath, ...rest] = [
    ...(options.under ?? []),
    process.execPath,
    '--import',
    loader,
    script,
    ...args,
  ]
  const child = spawn(program, rest, {
    stdio: ['pipe', 'pipe', 'inherit'],
    ...(options.uid === undefined ? {} : { uid: options.uid, gid: options.uid }),
    ...(options.env === undefined ? {} : { env: { ...process.env, ...options.env } }),
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
  })
  child.stdin.on('error', () => child.stdin.destroy())
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const exited = once(child, 'exit')
  const next = async (): Promise<Answer> => {
    const line = await lines.next()
    if (line.done === true) throw new Error(`${script} ended`)
    const answer: Answer = JSON.parse(line.value)
    return answer
  }
  return {
    process: child,
    next,
    ask(request) {
      child.stdin.write(`${JSON.stringify(request)}\n`)
      return next()
    },
    async end(signal = 'SIGKILL') {
      child.kill(signal)
      await exited
    },
  }
}
