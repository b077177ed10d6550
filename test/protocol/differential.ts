// Sends the same requests to two gateways that differ in one thing: one has its hot path, the other lets the SDK answer
// everything. Both have the same clock, the same ids and their own database, so every answer must be equal.
import assert from 'node:assert/strict'
import { Agent, type IncomingHttpHeaders } from 'node:http'
import { wireOf } from '../../plugins/mcp/index.ts'
import { flushAccess } from '../../src/servers/memory/access.ts'
import { at, openSession, rpc, type OpenSession, type Received } from '../fixtures/rpc.ts'
import { startApp, type RunningApp } from '../fixtures/running-app.ts'
import { Dice, nextCase, type Case } from './differential-requests.ts'

export interface DifferentialResult {
  readonly requests: number
  /** Answered with a result that is no error. */
  readonly valid: number
  /** Of those, answered by the hot path. */
  readonly validHot: number
  /** Tools that were called. */
  readonly tools: ReadonlySet<string>
}

const PATH = '/memory/mcp'
const START = Date.UTC(2026, 10, 30)
const STEP_MS = 2_000

/** What a hop or the hour decides, not the answer. */
const IGNORED = new Set(['date', 'connection', 'keep-alive', 'mcp-session-id'])

class Side {
  readonly running: RunningApp
  readonly #session: OpenSession
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 })

  constructor(running: RunningApp, session: OpenSession) {
    this.running = running
    this.#session = session
  }

  /** Accept names JSON alone: the SDK would answer a session in an event stream, which holds the same message. */
  send(made: Case, body: Record<string, unknown>): Promise<Received> {
    const headers = {
      accept: 'application/json',
      ...(made.era === '2025' ? this.#session.headers : {}),
      ...made.headers,
    }
    const { port, token } = this.running
    return rpc({ port, token, agent: this.#agent }, { path: PATH, headers, body })
  }

  /** Writes what is otherwise written by a timer, and so at a moment of its own on each side. */
  settle(): Promise<void> {
    return flushAccess(this.running.app.database)
  }

  async close(): Promise<void> {
    this.#agent.destroy()
    await this.running.close()
  }

  get counters() {
    return wireOf(this.running.app).endpoint('memory').hot.counters
  }
}

/** Ids that depend on nothing but how many were made before. */
function countedIds() {
  let made = 0
  const next = (): string => (++made).toString(16).padStart(12, '0')
  return {
    uid: () => `01900000-0000-7000-8000-${next()}`,
    token: () => next().repeat(4).slice(0, 43),
  }
}

async function side(now: () => number, enabled: boolean): Promise<Side> {
  const env = { CROW_LIMIT_PRINCIPAL: '10000000', CROW_TZ: 'UTC', CROW_DEVICE_ID: 'diff' }
  const clock = { now, monotonicMs: now }
  const running = await startApp(env, { clock, ids: countedIds() })
  const made = new Side(running, await openSession(running, { path: PATH }))
  made.counters.enabled = enabled
  return made
}

const kept = (headers: IncomingHttpHeaders): object =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !IGNORED.has(name)))

// Confirmations are sealed with a key of their own process.
const TOKEN = /confirm_token \\"([^\\]+)\\"/
const unsealed = (body: string): unknown => JSON.parse(body.replaceAll(new RegExp(TOKEN, 'g'), 'confirm_token'))

const seen = ({ status, headers, text }: Received): object => ({
  status,
  headers: { ...kept(headers), 'content-length': TOKEN.test(text) ? '' : headers['content-length'] },
  session: headers['mcp-session-id'] !== undefined,
  body: text === '' ? '' : unsealed(text),
})

function assertEqual(made: Case, hot: Received, slow: Received): void {
  assert.deepEqual(seen(hot), seen(slow), JSON.stringify(made))
}

const isValid = (answer: Received): boolean =>
  at(answer.messages[0], 'result') !== undefined && at(answer.messages[0], 'result.isError') !== true

/** Compares `requests` answers. @throws AssertionError with the request whose answers differ */
export async function runDifferential(requests: number, seed: number): Promise<DifferentialResult> {
  let now = START
  const hot = await side(() => now, true)
  const slow = await side(() => now, false)
  const dice = new Dice(seed)
  const tally = { requests, valid: 0, validHot: 0, tools: new Set<string>() }
  try {
    for (let sent = 0; sent < requests; sent++) {
      now += dice.upTo(STEP_MS)
      const made = nextCase(dice)
      sent += await compare(made, hot, slow, tally)
    }
    assert.equal(slow.counters.answered, 0)
  } finally {
    await hot.close()
    await slow.close()
  }
  return tally
}

interface Tally {
  valid: number
  validHot: number
  readonly tools: Set<string>
}

/** @returns how many requests were sent beyond the first: a destruction is confirmed by a second one */
async function compare(made: Case, hot: Side, slow: Side, tally: Tally): Promise<number> {
  await Promise.all([hot.settle(), slow.settle()])
  const before = hot.counters.answered
  const answers = [await hot.send(made, made.body), await slow.send(made, made.body)] as const
  assertEqual(made, ...answers)
  if (isValid(answers[0])) {
    tally.valid++
    tally.validHot += hot.counters.answered - before
  }
  if (made.tool !== undefined) tally.tools.add(made.tool)
  const tokens = answers.map((answer) => TOKEN.exec(answer.text)?.[1])
  const [hotToken, slowToken] = tokens
  if (hotToken === undefined || slowToken === undefined) return 0
  const confirmed = [
    await hot.send(made, withToken(made, hotToken)),
    await slow.send(made, withToken(made, slowToken)),
  ] as const
  assertEqual(made, ...confirmed)
  return 1
}

function withToken(made: Case, token: string): Record<string, unknown> {
  const params = at(made.body, 'params')
  const args = at(params, 'arguments')
  assert.ok(typeof params === 'object' && typeof args === 'object')
  return { ...made.body, params: { ...params, arguments: { ...args, confirm_token: token } } }
}
