// Server processes of the bench: started on their own core, measured through /proc, ended by their own id.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

const START_TIMEOUT_MS = 60_000

/** Whether the server can be kept on a core of its own; otherwise the figures carry the client's disturbance. */
export const isPinned = availableParallelism() > 1 && spawnSync('taskset', ['--version']).status === 0

/** The core that servers get; the bench itself moves to another. */
const SERVER_CORE = '1'
const CLIENT_CORE = '0'
const EVERY_CORE = `0-${availableParallelism() - 1}`

/** Moves this process away from the servers' core. */
export function leaveServerCore(): void {
  if (isPinned) spawnSync('taskset', ['-apc', CLIENT_CORE, String(process.pid)])
}

export interface StartOptions {
  readonly args: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** Several cores: for servers whose worker threads count. */
  readonly everyCore?: boolean
  /** For programs of others, which print no `listening` line: ready when this port takes a connection. */
  readonly listensAt?: number
  /** Another Node than the one of the bench. */
  readonly node?: string
}

export class Server {
  readonly port: number
  readonly pid: number
  /** From the spawn to `listening`, milliseconds. */
  readonly readyMs: number
  readonly #child: ChildProcess

  private constructor(child: ChildProcess, port: number, readyMs: number) {
    this.#child = child
    this.pid = child.pid ?? 0
    this.port = port
    this.readyMs = readyMs
  }

  /** Starts Node on `args` and waits for its `listening` line. */
  static async start({
    args,
    env = {},
    everyCore = false,
    listensAt,
    node = process.execPath,
  }: StartOptions): Promise<Server> {
    const startedAt = performance.now()
    // Said in either case: a child inherits the cores of its parent, which has left the server's.
    const cores = everyCore ? EVERY_CORE : SERVER_CORE
    const [program, ...rest] = isPinned ? ['taskset', '-c', cores, node, ...args] : [node, ...args]
    const child = spawn(program, rest, {
      env: { PATH: process.env['PATH'] ?? '', HOME: tmpdir(), ...env },
      stdio: ['ignore', 'pipe', listensAt === undefined ? 'inherit' : 'ignore', 'ipc'],
    })
    const { stdout } = child
    if (stdout === null) throw new Error('a piped stdout is missing')
    const timer = setTimeout(() => child.kill('SIGKILL'), START_TIMEOUT_MS)
    try {
      if (listensAt !== undefined) {
        stdout.resume()
        await untilListening(listensAt)
        return new Server(child, listensAt, performance.now() - startedAt)
      }
      for await (const line of createInterface({ input: stdout })) {
        const port = /^listening http:\/\/[^ ]*:(\d+)$/.exec(line)?.[1]
        if (port === undefined) continue
        const readyMs = performance.now() - startedAt
        stdout.resume()
        return new Server(child, Number(port), readyMs)
      }
    } finally {
      clearTimeout(timer)
    }
    throw new Error(`the server ended before it listened: ${args.join(' ')}`)
  }

  /** CPU of all its threads so far, microseconds. */
  cpuUs(): number {
    const tasks = `/proc/${this.pid}/task`
    const ns = readdirSync(tasks).map((task) =>
      Number(readFileSync(join(tasks, task, 'schedstat'), 'utf8').split(' ')[0]),
    )
    return ns.reduce((sum, value) => sum + value, 0) / 1000
  }

  rssMb(): number {
    const kb = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${this.pid}/status`, 'utf8'))?.[1]
    return Number(kb) / 1024
  }

  /** Asks a bench server and takes its answer apart. */
  async ask(question: string): Promise<Readonly<Record<string, unknown>>> {
    const answered = once(this.#child, 'message')
    this.#child.send(question)
    const [answer]: unknown[] = await answered
    return typeof answer === 'object' && answer !== null ? { ...answer } : {}
  }

  async token(): Promise<string> {
    return String((await this.ask('token'))['token'])
  }

  async stop(): Promise<void> {
    const ended = once(this.#child, 'exit')
    this.#child.kill('SIGTERM')
    await ended
  }
}

/** @throws when nobody listens in time */
async function untilListening(port: number): Promise<void> {
  const deadline = performance.now() + START_TIMEOUT_MS
  for (;;) {
    const socket = connect({ host: '127.0.0.1', port })
    const isOpen = await new Promise<boolean>((resolve) => {
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    })
    socket.destroy()
    if (isOpen) return
    if (performance.now() > deadline) throw new Error(`nobody listens on port ${port}`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

const folders: string[] = []
process.once('exit', () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

/** A data folder that goes with the process of the bench. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'crow-bench-'))
  folders.push(folder)
  return folder
}
