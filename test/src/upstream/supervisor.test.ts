// The life of one connection, as properties of any history: never two at once, nobody waits for ever, nothing outlives the end.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { LinkFailure, type Link, type LinkEnd } from '../../../src/lib/link.ts'
import { Health } from '../../../src/upstream/health.ts'
import { hubLimits } from '../../../src/upstream/limits.ts'
import { Supervisor } from '../../../src/upstream/supervisor.ts'
import { turnedTimers } from '../../fixtures/upstream/turned-timers.ts'

const timeout = 60_000
const settled = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve))

interface Attempt {
  succeed(): void
  fail(): void
}

class World {
  readonly timers = turnedTimers()
  readonly health = new Health(hubLimits, this.timers, () => 0.5)
  readonly attempts: Attempt[] = []
  readonly up = new Set<() => void>()
  starts = 0
  upMax = 0
  wanted = false
  readonly supervisor: Supervisor

  constructor(idleMs: number) {
    this.supervisor = new Supervisor(
      { title: 'X', idleMs, wanted: () => this.wanted, open: (signal) => this.#open(signal) },
      { health: this.health, timers: this.timers, limits: { waitersMax: 5, waitMs: 30_000 } },
    )
  }

  #open(signal: AbortSignal): Promise<Link> {
    this.starts++
    const { promise, resolve, reject } = Promise.withResolvers<Link>()
    const isObedient = this.starts % 2 === 0
    if (isObedient) signal.addEventListener('abort', () => reject(signal.reason))
    this.attempts.push({
      succeed: () => {
        if (!isObedient || !signal.aborted) resolve(this.#link())
      },
      fail: () => reject(new LinkFailure({ reason: 'broken', wanted: false })),
    })
    return promise
  }

  #link(): Link {
    const { promise, resolve } = Promise.withResolvers<LinkEnd>()
    const end = (wanted: boolean): void => {
      this.up.delete(die)
      resolve({ reason: 'ended', wanted })
    }
    const die = (): void => end(false)
    this.up.add(die)
    this.upMax = Math.max(this.upMax, this.up.size)
    return {
      peer: { era: '2025', protocolVersion: 'x', name: 'x', version: '1', capabilities: {}, instructions: undefined },
      pending: 0,
      request: () => Promise.reject(new Error('not here')),
      notify: () => undefined,
      closed: promise,
      close: () => (end(true), Promise.resolve()),
    }
  }
}

const step = fc.constantFrom('call', 'use', 'letGo', 'succeed', 'fail', 'die', 'rest', 'want', 'short', 'long')

test('any history of one connection', { timeout }, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), fc.constantFrom(0, 60_000), async (steps, idleMs) => {
      const world = new World(idleMs)
      const { supervisor, timers } = world
      const calls: Promise<unknown>[] = []
      let open = 0
      for (const each of steps) {
        if (each === 'call') {
          open++
          const call = supervisor.whenReady().then(
            (link) => assert.ok(link),
            (error: unknown) => assert.ok(error instanceof Error),
          )
          calls.push(call.finally(() => void open--))
        } else if (each === 'use') supervisor.use()
        else if (each === 'letGo') supervisor.letGo()
        else if (each === 'succeed') world.attempts.shift()?.succeed()
        else if (each === 'fail') world.attempts.shift()?.fail()
        else if (each === 'die') for (const die of world.up) die()
        else if (each === 'rest') await supervisor.rest()
        else if (each === 'want') world.wanted = !world.wanted
        else timers.turn(each === 'short' ? 700 : 700_000)
        await settled()
        assert.ok(world.upMax <= 1, 'two at once')
        assert.ok(supervisor.waiting <= 5)
        assert.equal(supervisor.link !== undefined, supervisor.phase === 'ready')
        if (supervisor.phase === 'ready') assert.equal(supervisor.waiting, 0)
        if (each === 'long') assert.equal(open, 0, 'somebody still waits')
      }
      if (steps.length % 2 === 0) void supervisor.rest()
      const stopping = supervisor.stop()
      // One that does not hear of its end in time is there after all, and has to go as well.
      for (const attempt of world.attempts) attempt.succeed()
      await stopping
      await Promise.all(calls)
      assert.equal(world.up.size, 0)
      assert.equal(timers.armed, 0, 'a timer is left')
      await assert.rejects(supervisor.whenReady())
    }),
    { numRuns: 300 },
  )
})

test(
  'who waits together is served by one start, in order; more than there is room for are turned away',
  { timeout },
  async () => {
    const world = new World(0)
    const order: number[] = []
    const calls = Array.from({ length: 5 }, (_, index) => world.supervisor.whenReady().then(() => order.push(index)))
    await assert.rejects(world.supervisor.whenReady(), /Too many calls/)
    world.attempts.shift()?.succeed()
    await Promise.all(calls)
    assert.deepEqual(order, [0, 1, 2, 3, 4])
    assert.equal(world.starts, 1)
  },
)

test('one that gives up waiting leaves the queue, and nobody else', { timeout }, async () => {
  const world = new World(0)
  const controller = new AbortController()
  const gone = world.supervisor.whenReady(controller.signal)
  const stays = world.supervisor.whenReady()
  controller.abort(new Error('gone'))
  await assert.rejects(gone, /gone/)
  world.attempts.shift()?.succeed()
  assert.ok(await stays)
})

test('down for minutes, then back: used again without a word', { timeout }, async () => {
  const world = new World(0)
  for (let turn = 0; turn < 8; turn++) {
    const call = world.supervisor.whenReady()
    const refused = assert.rejects(call)
    world.attempts.shift()?.fail()
    await settled()
    world.timers.turn(15_000)
    world.attempts.shift()?.fail()
    await settled()
    await refused
  }
  assert.equal(world.health.circuit === 'closed', false)
  world.timers.turn(600_000)
  const call = world.supervisor.whenReady()
  world.attempts.shift()?.succeed()
  assert.ok(await call)
})
