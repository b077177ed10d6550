import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import Type from 'typebox'
import { defineTool, type Tool } from '../../../src/runtime/tool.ts'
import { call, codeOf, gate, idle, serve, settle, until } from './fixture.ts'

interface Held {
  readonly id: number
  readonly key: number
  readonly end: () => void
}

/** A destructive tool whose calls hold until the test ends them. */
function holding(key: Tool['serializeBy'], more: Partial<Tool['limits']> = {}) {
  const started: Held[] = []
  const holders = new Map<number, number>()
  let clash = false
  const tool = defineTool({
    name: 'remove',
    summary: 'Removes.',
    description: 'Removes.',
    effect: 'destroy',
    input: Type.Object({ id: Type.Integer(), key: Type.Integer() }),
    limits: { activeMax: 50, ...more },
    ...(key === undefined ? {} : { serializeBy: key }),
    preview: () => ({ text: 'sure?', version: 1 }),
    async handle({ id, key: lock }) {
      const open = gate()
      holders.set(lock, (holders.get(lock) ?? 0) + 1)
      clash ||= (holders.get(lock) ?? 0) > 1
      started.push({ id, key: lock, end: open.resolve })
      await open.promise
      holders.set(lock, (holders.get(lock) ?? 0) - 1)
      return 'removed'
    },
  })
  return { started, tool, clashed: () => clash, ids: () => started.map((held) => held.id) }
}

const byKey = (input: object) => Number(Reflect.get(input, 'key'))

test('an abort in the queue lets nobody in before the holder ends', { timeout: 5000 }, async () => {
  const { tool, started, ids } = holding(undefined)
  const catalog = serve([tool], { confirm: 'off' })
  const abort = new AbortController()
  const a = call(catalog, 'remove', { id: 1, key: 0 })
  const b = call(catalog, 'remove', { id: 2, key: 0 }, { signal: abort.signal })
  const c = call(catalog, 'remove', { id: 3, key: 0 })
  await settle()
  abort.abort()
  assert.equal(codeOf(await b), 'CANCELLED')
  await settle()
  assert.deepEqual(ids(), [1])
  started[0]?.end()
  await a
  await until(() => started.length === 2)
  assert.deepEqual(ids(), [1, 3])
  started[1]?.end()
  await c
  assert.ok(idle(catalog))
})

test('calls on different items overlap, calls on the same item wait', { timeout: 5000 }, async () => {
  const { tool, started, ids } = holding(byKey)
  const catalog = serve([tool], { confirm: 'off' })
  const calls = [1, 2, 1].map((key, index) => call(catalog, 'remove', { id: index, key }))
  await settle()
  assert.deepEqual(ids(), [0, 1])
  started[0]?.end()
  await until(() => started.length === 3)
  assert.deepEqual(ids(), [0, 1, 2])
  for (const held of started) held.end()
  await Promise.all(calls)
  assert.ok(idle(catalog))
})

test('a queue on one item takes no slots from the others', { timeout: 5000 }, async () => {
  const { tool, started } = holding(byKey, { activeMax: 2 })
  const catalog = serve([tool], { confirm: 'off' })
  const calls = [1, 1, 1, 1, 2].map((key, id) => call(catalog, 'remove', { id, key }))
  await settle()
  assert.deepEqual(
    started.map((held) => held.id),
    [0, 4],
  )
  for (let count = 0; count < 5; count++) {
    for (const held of started) held.end()
    await settle()
  }
  await Promise.all(calls)
})

test(
  'under random aborts and ends there is one holder per key, and calls start in order of arrival',
  { timeout: 60_000 },
  async () => {
    const step = fc.oneof(
      { weight: 4, arbitrary: fc.record({ do: fc.constant('call' as const), key: fc.integer({ min: 0, max: 2 }) }) },
      { weight: 2, arbitrary: fc.record({ do: fc.constant('abort' as const), pick: fc.nat(30) }) },
      { weight: 3, arbitrary: fc.record({ do: fc.constant('end' as const), pick: fc.nat(30) }) },
      { weight: 1, arbitrary: fc.record({ do: fc.constant('turn' as const) }) },
    )
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 3, maxLength: 30 }),
        fc.integer({ min: 1, max: 4 }),
        async (steps, activeMax) => {
          const { tool, started, clashed, ids } = holding(byKey, { activeMax })
          const catalog = serve([tool], { confirm: 'off' })
          const made: { id: number; key: number; abort: AbortController; done: Promise<unknown> }[] = []
          for (const [index, one] of steps.entries()) {
            if (one.do === 'call') {
              const abort = new AbortController()
              const done = call(catalog, 'remove', { id: index, key: one.key }, { signal: abort.signal })
              made.push({ id: index, key: one.key, abort, done })
            } else if (one.do === 'turn') await settle()
            else if (one.do === 'end') started[one.pick % Math.max(started.length, 1)]?.end()
            else {
              const target = made[one.pick % Math.max(made.length, 1)]
              // Only waiting calls are aborted here: what holds must keep its key until it truly ends.
              if (target !== undefined && !ids().includes(target.id)) target.abort.abort()
            }
          }
          await until(() => {
            for (const held of started) held.end()
            return idle(catalog)
          })
          await Promise.all(made.map((one) => one.done))
          assert.equal(clashed(), false)
          for (const key of [0, 1, 2]) {
            const order = started.filter((held) => held.key === key).map((held) => held.id)
            assert.deepEqual(
              order,
              order.toSorted((left, right) => left - right),
            )
          }
          const never = made.filter((one) => !one.abort.signal.aborted && !ids().includes(one.id))
          assert.deepEqual(never, [])
        },
      ),
      { numRuns: 150 },
    )
  },
)

test('reads are not serialised, and null opts a write out', { timeout: 5000 }, async () => {
  const { tool, started } = holding(null)
  const catalog = serve([tool], { confirm: 'off' })
  const calls = [1, 2, 3].map((id) => call(catalog, 'remove', { id, key: 0 }))
  await settle()
  assert.equal(started.length, 3)
  for (const held of started) held.end()
  await Promise.all(calls)
})
