// Stops a gateway under load and compares what it let in with what its clients were answered:
// `node --import ./fast-drizzle.mjs test/anomaly/shutdown-load.ts [seconds = 30] [per second = 500]`. The signal comes half-way.
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, type ClientRequest, type IncomingHttpHeaders, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { at, modern, open, rpc, type Stream, type Target } from '../fixtures/rpc.ts'
import { isAnswer, openSse, startSse, type SseClient } from '../fixtures/sse.ts'
import { startChild, type Child } from './children.ts'

export interface LoadOptions {
  readonly seconds: number
  readonly perSecond: number
  readonly connections: number
  readonly drainMs: number
  /** How long the call takes that is open when the signal comes. */
  readonly longMs: number
}

export interface LoadReport {
  readonly accepted: number
  /** Ids that were let in and got no whole answer. */
  readonly lost: readonly string[]
  /** Answers to requests of the drain that did not say that they were the last. */
  readonly kept: number
  readonly afterSignal: number
  readonly errors: Readonly<Record<string, number>>
  readonly exitCode: number | null
  readonly exitMs: number
  /** What the long call was answered with, and on the event stream likewise. */
  readonly long: unknown
  readonly longOverSse: unknown
  readonly ends: readonly string[]
  readonly health: number | undefined
  readonly healthStatus: unknown
  readonly refused: boolean
}

interface Answered {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
}

const PATH = '/load/mcp'
const TICK_MS = 10

/** One run, from the start of the gateway to its exit. */
export async function runShutdownLoad(options: LoadOptions): Promise<LoadReport> {
  const folder = mkdtempSync(join(tmpdir(), 'crow-shutdown-'))
  const list = join(folder, 'accepted')
  writeFileSync(list, '')
  const env = {
    CROW_DATA_DIR: join(folder, 'data'),
    CROW_LOG_LEVEL: 'error',
    CROW_LIMIT_PRINCIPAL: '1000000',
    CROW_SHUTDOWN_DRAIN_MS: String(options.drainMs),
  }
  const child = startChild(join(import.meta.dirname, 'shutdown-child.ts'), [list], { env })
  try {
    const ready = await child.next()
    const to = { port: Number(ready['port']), token: String(ready['token']) }
    return await new Load(to, options).run(child, list)
  } finally {
    if (child.process.exitCode === null) await child.end()
    rmSync(folder, { recursive: true, force: true })
  }
}

class Load {
  readonly #to: Target
  readonly #options: LoadOptions
  readonly #agent: Agent
  readonly #answered = new Set<string>()
  readonly #errors: Record<string, number> = {}
  readonly #inFlight = new Set<Promise<void>>()
  #sent = 0
  #isDraining = false
  #kept = 0
  #afterSignal = 0

  constructor(to: Target, options: LoadOptions) {
    this.#to = to
    this.#options = options
    this.#agent = new Agent({ keepAlive: true, maxSockets: options.connections, scheduling: 'fifo' })
  }

  async run(child: Child, list: string): Promise<LoadReport> {
    const { seconds, longMs } = this.#options
    const gateway = child.process
    const exited = once(gateway, 'exit')
    const idle = new Agent({ keepAlive: true, maxSockets: 1 })
    const listeners = await this.#listen()
    await send(this.#to, { method: 'GET', path: '/health', agent: idle })
    const stopLoad = this.#begin()
    await pause(seconds * 500 - 200)
    const long = rpc(this.#to, { path: PATH, ...workFor(longMs, 'long') })
    await listeners.sse.post({ jsonrpc: '2.0', id: 'long', ...callOf(longMs) })
    const longOverSse = listeners.sse.stream.until(isAnswer('long'))
    await pause(200)
    const signalledAt = performance.now()
    gateway.kill('SIGTERM')
    await child.next()
    this.#isDraining = true
    const health = await send(this.#to, { method: 'GET', path: '/health', agent: idle }).then(
      (answer) => answer,
      (error: unknown) => this.#note(error),
    )
    if (health !== undefined) this.#judgeLate(health)
    const refused = await rpc({ ...this.#to }, { method: 'GET', path: '/health' }).then(
      () => false,
      (error: unknown) => error instanceof Error && 'code' in error && error.code === 'ECONNREFUSED',
    )
    const [longAnswer, sseAnswer] = await Promise.all([long, longOverSse])
    await exited
    const exitMs = performance.now() - signalledAt
    stopLoad()
    await Promise.all(this.#inFlight)
    this.#agent.destroy()
    idle.destroy()
    const accepted = readFileSync(list, 'utf8').split('\n').filter(Boolean)
    return {
      accepted: accepted.length,
      lost: accepted.filter((id) => !this.#answered.has(id)),
      kept: this.#kept,
      afterSignal: this.#afterSignal,
      errors: this.#errors,
      exitCode: gateway.exitCode,
      exitMs,
      long: longAnswer.messages[0],
      longOverSse: sseAnswer,
      ends: await Promise.all(listeners.streams.map(({ ended }) => ended)),
      health: health?.status,
      healthStatus: health === undefined ? undefined : at(JSON.parse(health.text), 'status'),
      refused,
    }
  }

  /** One stream of each kind, open until the end. */
  async #listen(): Promise<{ sse: SseClient; streams: Stream[] }> {
    const sse = await startSse(this.#to, '/load/sse')
    const quiet = await openSse(this.#to, '/memory/sse')
    const filter = { notifications: { toolsListChanged: true } }
    const listen = await open(this.#to, { path: PATH, ...modern('subscriptions/listen', filter, { id: 'listen' }) })
    return { sse, streams: [sse.stream, quiet.stream, listen] }
  }

  /** Sends at the rate, whatever comes back. @returns stops */
  #begin(): () => void {
    const perTick = (this.#options.perSecond * TICK_MS) / 1000
    const startedAt = performance.now()
    const timer = setInterval(() => {
      const due = ((performance.now() - startedAt) / TICK_MS) * perTick
      while (this.#sent < due) this.#one(`${++this.#sent}`)
    }, TICK_MS)
    return () => clearInterval(timer)
  }

  #one(id: string): void {
    const done = this.#exchange(id).finally(() => this.#inFlight.delete(done))
    this.#inFlight.add(done)
  }

  async #exchange(id: string): Promise<void> {
    const { headers, body } = workFor(Number(id) % 20, id)
    const isLate = this.#isDraining
    try {
      const answer = await send(this.#to, {
        method: 'POST',
        path: PATH,
        agent: this.#agent,
        headers: { ...headers, 'x-load-id': id },
        body,
      })
      const message: unknown = JSON.parse(answer.text)
      if (at(message, 'id') === id && (at(message, 'result') ?? at(message, 'error')) !== undefined)
        this.#answered.add(id)
      if (isLate) this.#judgeLate(answer)
    } catch (error) {
      this.#note(error)
    }
  }

  #judgeLate({ headers }: Answered): void {
    this.#afterSignal++
    if (headers.connection !== 'close') this.#kept++
  }

  #note(error: unknown): undefined {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error)
    this.#errors[code] = (this.#errors[code] ?? 0) + 1
  }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

const callOf = (ms: number) => ({ method: 'tools/call', params: { name: 'work', arguments: { ms } } })

const workFor = (ms: number, id: string) => modern('tools/call', { name: 'work', arguments: { ms } }, { id })

interface Sending {
  readonly method: string
  readonly path: string
  readonly agent: Agent
  readonly headers?: Readonly<Record<string, string | undefined>>
  readonly body?: unknown
}

function send(to: Target, { method, path, agent, headers = {}, body }: Sending): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const text = body === undefined ? undefined : JSON.stringify(body)
    const outgoing: ClientRequest = request({ host: '127.0.0.1', port: to.port, method, path, agent }, (answer) => {
      let received = ''
      answer.setEncoding('utf8')
      answer.on('data', (chunk: string) => (received += chunk))
      answer.once('error', reject)
      answer.once('end', () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text: received }))
    })
    for (const [name, value] of Object.entries({
      authorization: `Bearer ${to.token}`,
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      ...headers,
    }))
      if (value !== undefined) outgoing.setHeader(name, value)
    if (text !== undefined) outgoing.setHeader('content-length', Buffer.byteLength(text))
    outgoing.once('error', reject)
    outgoing.end(text)
  })
}

/** Everything that does not hold, one sentence each. */
export function problemsOf(report: LoadReport, { drainMs }: LoadOptions): string[] {
  const problems: string[] = []
  const expect = (holds: boolean, sentence: string): void => void (holds || problems.push(sentence))
  expect(report.accepted > 0, 'nothing was let in')
  expect(
    report.lost.length === 0,
    `${report.lost.length} requests were let in and lost: ${report.lost.slice(0, 10).join(' ')}`,
  )
  expect(report.kept === 0, `${report.kept} answers of the drain did not say Connection: close`)
  expect(report.exitCode === 0, `the exit code is ${report.exitCode}`)
  expect(report.exitMs <= drainMs + 1_000, `the exit took ${report.exitMs.toFixed(0)} ms`)
  expect(at(report.long, 'error.data.code') === 'SHUTTING_DOWN', `the long call got ${JSON.stringify(report.long)}`)
  expect(
    at(report.longOverSse, 'error.data.code') === 'SHUTTING_DOWN',
    `over SSE it got ${JSON.stringify(report.longOverSse)}`,
  )
  expect(
    report.ends.every((end) => end === 'ended'),
    `the streams ended as ${report.ends.join(', ')}`,
  )
  expect(
    report.health === 503 && report.healthStatus === 'draining',
    `health said ${report.health} ${String(report.healthStatus)}`,
  )
  expect(report.refused, 'a new connection was not refused')
  return problems
}

if (import.meta.main) {
  const [seconds = '30', perSecond = '500'] = process.argv.slice(2)
  const options = {
    seconds: Number(seconds),
    perSecond: Number(perSecond),
    connections: 50,
    drainMs: 3_000,
    longMs: 10_000,
  }
  const report = await runShutdownLoad(options)
  const problems = problemsOf(report, options)
  process.stdout.write(
    `shutdown: ${report.accepted} let in, ${report.lost.length} lost, ${report.afterSignal} answered in the drain, exit ${report.exitCode} after ${report.exitMs.toFixed(0)} ms, clients saw ${JSON.stringify(report.errors)}\n`,
  )
  for (const problem of problems) process.stdout.write(`shutdown: ${problem}\n`)
  process.exitCode = problems.length === 0 ? 0 : 1
}
