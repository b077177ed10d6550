// One child process with its three pipes, in a process group of its own, from its start to the end of the last of them.
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process'
import { statSync } from 'node:fs'
import { LineReader } from '../../lib/line-reader.ts'
import { patiently } from '../../lib/patience.ts'
import { toError } from '../../lib/thrown.ts'
import { launchPlan } from '../launch-plan.ts'
import type { LinkEnd, OpenOptions, Target } from '../link.ts'
import { endGroup, groupLives } from '../process-group.ts'
import { Notes } from './notes.ts'
import { Outbox } from './outbox.ts'
import { StderrTail } from './stderr-tail.ts'

const LINE_BYTES_MAX = 32 << 20
const UNREAD_CHARS_MAX = 64 << 20
/** How long a child may take to end by itself once its standard input has ended. */
const GRACE_MS = 500
/** What a dead child wrote last may still be on its way; a pipe that closed may be the first sign of a death. */
const LAST_WORDS_MS = 100

const NEVER_RAN = { exitCode: null, signalCode: null }

export type StdioTarget = Extract<Target, { kind: 'stdio' }>

export interface ChildOptions {
  readonly target: StdioTarget
  /** What every child gets. */
  readonly base: Readonly<Record<string, string>>
  readonly platform: NodeJS.Platform
  readonly note: OpenOptions['note']
  readonly onLine: (line: string) => void
  /** Once. */
  readonly onOver: (end: LinkEnd) => void
}

export class Child {
  readonly outbox: Outbox
  readonly #options: ChildOptions
  readonly #process: ChildProcessWithoutNullStreams
  readonly #lines = new LineReader(LINE_BYTES_MAX)
  readonly #tail: StderrTail
  readonly #notes: Notes
  #over: LinkEnd | undefined
  #wanted = false
  #lastWords: NodeJS.Timeout | undefined
  #ending: Promise<void> | undefined

  /** @throws Error where it cannot be started; most such failures come by `onOver` instead */
  constructor(options: ChildOptions) {
    this.#options = options
    this.#tail = new StderrTail(Object.values(options.target.env))
    this.#notes = new Notes(options.note)
    this.#process = start(options)
    this.outbox = new Outbox(this.#process.stdin, UNREAD_CHARS_MAX)
    this.#listen()
  }

  /** Undefined where it could not be started. */
  get pid(): number | undefined {
    return this.#process.pid
  }

  get stderr(): readonly string[] {
    return this.#tail.lines
  }

  /** Ends it and all that it started. Repeatable; resolves when nobody of them lives. */
  end(): Promise<void> {
    this.#wanted = true
    this.#ending ??= this.#endAll()
    return this.#ending
  }

  #listen(): void {
    const { stdin, stdout, stderr } = this.#process
    stdout.on('data', (chunk: Buffer) => this.#read(chunk))
    stdout.on('error', (error) => this.#soon(`Its standard output failed: ${error.message}`))
    stdout.on('end', () => this.#soon('It closed its standard output.'))
    stdin.on('error', () => this.#soon('It closed its standard input.'))
    stderr.on('data', (chunk: Buffer) => this.#complaint(chunk))
    stderr.on('error', (error) => this.#notes.say('debug', 'its standard error failed', () => ({ err: error })))
    this.#process.on('error', (error) => this.#finish(startFailure(error, this.#options.target)))
    this.#process.on('exit', () => this.#soon('It ended.'))
    this.#process.on('close', () => this.#finish('It ended.'))
  }

  #read(chunk: Buffer): void {
    if (this.#over !== undefined) return
    for (const line of this.#lines.read(chunk)) {
      if (line.kind === 'text') this.#options.onLine(line.text)
      else if (line.kind === 'too-long') return this.#tooLong()
      else this.#notes.say('debug', 'a line of its standard output was ignored', () => ({ why: 'is not UTF-8' }))
    }
    if (this.#lines.isOver) this.#tooLong()
  }

  #tooLong(): void {
    this.#finish(`It wrote a message of more than ${LINE_BYTES_MAX >> 20} MiB.`)
  }

  #complaint(chunk: Buffer): void {
    this.#tail.add(chunk)
    if (!this.#notes.isOpen) return
    for (const line of this.#tail.readable(chunk.subarray(0, 4096).toString('utf8')))
      this.#notes.say('debug', 'stderr', () => ({ line }))
  }

  /** Over in a moment: the reason may become a better one until then. */
  #soon(reason: string): void {
    if (this.#over === undefined) this.#lastWords ??= setTimeout(() => this.#finish(reason), LAST_WORDS_MS)
  }

  #finish(reason: string): void {
    if (this.#over !== undefined) return
    clearTimeout(this.#lastWords)
    // Where nothing was started, Node reports the failure as an exit code of its own.
    const { exitCode, signalCode } = this.pid === undefined ? NEVER_RAN : this.#process
    this.#over = {
      reason: this.#wanted ? 'It was stopped.' : (howItEnded(exitCode, signalCode) ?? reason),
      wanted: this.#wanted,
      exitCode,
      signal: signalCode,
      stderr: this.#tail.lines,
    }
    this.#options.onOver(this.#over)
    this.#ending ??= this.#endAll()
  }

  async #endAll(): Promise<void> {
    const { pid, stdin } = this.#process
    const { platform } = this.#options
    if (pid !== undefined) {
      stdin.end()
      if (this.#over === undefined) await patiently(() => !this.#lives(pid), GRACE_MS)
      await endGroup(pid, platform)
      // The leader is a zombie until the exit was seen, and its number is taken until then.
      await patiently(() => this.#hasExited(), LAST_WORDS_MS)
    }
    this.#finish('It was stopped.')
    for (const pipe of [stdin, this.#process.stdout, this.#process.stderr]) pipe.destroy()
  }

  #hasExited(): boolean {
    return this.#process.exitCode !== null || this.#process.signalCode !== null
  }

  #lives(pid: number): boolean {
    return !this.#hasExited() || groupLives(pid, this.#options.platform)
  }
}

function start({ target, base, platform }: ChildOptions): ChildProcessWithoutNullStreams {
  const { file, args, verbatim } = launchPlan(platform, target.command, target.args)
  return spawn(file, args, {
    stdio: 'pipe',
    env: { ...base, ...target.env },
    ...(target.cwd === undefined ? {} : { cwd: target.cwd }),
    // A group of its own, which ends as one. On Windows this would open a console.
    detached: platform !== 'win32',
    windowsHide: true,
    windowsVerbatimArguments: verbatim,
  })
}

function howItEnded(exitCode: number | null, signal: NodeJS.Signals | null): string | undefined {
  if (signal !== null) return `It was ended by ${signal}.`
  return exitCode === null ? undefined : `It ended with exit code ${exitCode}.`
}

/** What a failed start means to a person. */
export function startFailure(error: unknown, { command, cwd }: StdioTarget): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'ENOENT' && cwd !== undefined && statSync(cwd, { throwIfNoEntry: false }) === undefined)
    return `The folder ${cwd}, in which it is to start, is not there.`
  if (code === 'ENOENT') return `The command ${command} was not found.`
  if (code === 'EACCES') return `The command ${command} may not be run.`
  return `The command ${command} could not be started: ${toError(error).message}`
}
