// Children that are killed and clients that go without a word, under load: what it costs those who are there, and what is left.
import { setTimeout as delay } from 'node:timers/promises'
import { call, modern, openSession, rpc, type Sent, type Target } from '../../test/fixtures/rpc.ts'
import type { Row } from '../table.ts'
import { Place } from './place.ts'

const KILLS = 10
/** As long as a server has to be well before an end is followed by a start at once. */
const HEALTHY_MS = 10_500
const DROPPED_SESSIONS = 200
const WORKS_AGAIN_MS_MAX = 1_000
const HEAP_MB_MAX = 5
/** Between two calls of one client: a load that is there, and leaves the machine to others. */
const PAUSE_MS = 5
const LOOK_MS = 100
const LOOKS_MAX = 200

type Send = (name: string, message: string) => Sent

const params = (name: string, message: string) => ({ name, arguments: { message } })

/** Clients that can be asked: a server with sessions has a connection of its own for them. */
async function senders(to: Target): Promise<Readonly<Record<'2025' | '2026', Send>>> {
  const { headers } = await openSession(to, { path: '/tools/mcp', capabilities: { elicitation: {} } })
  return {
    '2025': (name, message) => ({ headers, body: call('tools/call', params(name, message)) }),
    '2026': (name, message) => modern('tools/call', params(name, message)),
  }
}

/** One client that calls one tool without end. */
class Caller {
  readonly #to: Target
  readonly #send: Send
  readonly #tool: string
  #isOver = false
  errors = 0
  calls = 0
  /** Resolves with the end of the next call that was begun from now on and went well. */
  #waiting: { readonly since: number; resolve(at: number): void } | undefined
  readonly ended: Promise<void>

  constructor(to: Target, send: Send, tool: string) {
    this.#to = to
    this.#send = send
    this.#tool = tool
    this.ended = this.#run()
  }

  async #run(): Promise<void> {
    while (!this.#isOver) {
      const begun = performance.now()
      const message = `m${++this.calls}`
      const { text } = await rpc(this.#to, { path: '/tools/mcp', ...this.#send(this.#tool, message) })
      const isGood = text.includes(`"Echo: ${message}"`)
      if (!isGood) this.errors++
      else if (this.#waiting !== undefined && begun >= this.#waiting.since) {
        this.#waiting.resolve(performance.now())
        this.#waiting = undefined
      }
      await delay(PAUSE_MS)
    }
  }

  nextGood(): Promise<number> {
    return new Promise((resolve) => (this.#waiting = { since: performance.now(), resolve }))
  }

  async stop(): Promise<void> {
    this.#isOver = true
    await this.ended
  }
}

interface Left {
  readonly heapMb: number
  readonly descriptors: number
  readonly children: number
}

async function leftIn(place: Place): Promise<Left> {
  const heapMb = Number((await place.server.ask('heap'))['heapBytes']) / 2 ** 20
  return { heapMb, descriptors: place.descriptors(), children: [...place.living('one'), ...place.living('two')].length }
}

/** @param bundle of the bench server */
export async function killedRows(bundle: string): Promise<Row[]> {
  const place = new Place({ one: {}, two: {} })
  await place.start(bundle)
  try {
    await place.untilListed('one_echo', 'two_echo')
    const send = await senders(place.to)
    const hit = [new Caller(place.to, send['2025'], 'one_echo'), new Caller(place.to, send['2026'], 'one_echo')]
    const siblings = [new Caller(place.to, send['2025'], 'two_echo'), new Caller(place.to, send['2026'], 'two_echo')]
    await delay(HEALTHY_MS)
    // What V8 compiles and sizes for the first such clients is not what is left of later ones.
    for (let time = 0; time < KILLS; time++) await drop(place)
    const before = await leftIn(place)
    const againMs: number[] = []
    for (let kill = 0; kill < KILLS; kill++) {
      const [pid] = place.living('one')
      if (pid === undefined) throw new Error('there is no child')
      const killedAt = performance.now()
      process.kill(pid, 'SIGKILL')
      const good = await Promise.all(hit.map((caller) => caller.nextGood()))
      againMs.push(...good.map((at) => at - killedAt))
      await drop(place)
      await delay(HEALTHY_MS)
      process.stderr.write(`upstream: child killed ${kill + 1} of ${KILLS}\n`)
    }
    // Sockets of those who went are closed a little later.
    for (let look = 0; look < LOOKS_MAX && place.descriptors() > before.descriptors; look++) await delay(LOOK_MS)
    const after = await leftIn(place)
    await Promise.all([...hit, ...siblings].map((caller) => caller.stop()))
    return rowsOf({ againMs, errors: siblings.reduce((sum, { errors }) => sum + errors, 0), before, after })
  } finally {
    await place.stop()
  }
}

/** Sessions that one client opens, uses once, and leaves. */
async function drop(place: Place): Promise<void> {
  const client = await place.client()
  for (let opened = 0; opened < DROPPED_SESSIONS / KILLS; opened++) {
    const send = await senders(client)
    await rpc(client, { path: '/tools/mcp', ...send['2025']('two_echo', 'dropped') })
  }
}

interface Measured {
  readonly againMs: readonly number[]
  readonly errors: number
  readonly before: Left
  readonly after: Left
}

function rowsOf({ againMs, errors, before, after }: Measured): Row[] {
  const worst = Math.max(...againMs)
  const grownMb = after.heapMb - before.heapMb
  const isSame = after.children <= before.children && after.descriptors <= before.descriptors
  return [
    {
      what: 'child killed under load, same session, both eras: works again',
      value: `after ${worst.toFixed(0)} ms at most, siblings ${errors} errors`,
      bar: `≤ ${WORKS_AGAIN_MS_MAX} ms, 0 errors`,
      ok: worst <= WORKS_AGAIN_MS_MAX && errors === 0,
    },
    {
      what: `${DROPPED_SESSIONS} dropped sessions, ${KILLS} restarts: children, descriptors`,
      value: `${before.children} → ${after.children}, ${before.descriptors} → ${after.descriptors}`,
      bar: 'no more than before',
      ok: isSame,
    },
    {
      what: 'the same: heap after a collection',
      value: `${before.heapMb.toFixed(1)} → ${after.heapMb.toFixed(1)} MB`,
      bar: `+ ≤ ${HEAP_MB_MAX} MB`,
      ok: grownMb <= HEAP_MB_MAX,
    },
  ]
}
