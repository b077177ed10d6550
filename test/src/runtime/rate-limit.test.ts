import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { createRateStore, rateLimit, type RateStore } from '../../../src/runtime/rate-limit.ts'
import { call, codeOf, owner, readTool, serve, textOf } from './fixture.ts'

/** A store that answers later, the way one over a network would, but still decides in one step. */
function distant(): RateStore {
  const inner = createRateStore()
  return {
    async take(key, rule, now) {
      await new Promise((resolve) => setImmediate(resolve))
      const decision = inner.take(key, rule, now)
      await new Promise((resolve) => setImmediate(resolve))
      return decision
    },
  }
}

test(
  'however many calls come at once and whatever the store, exactly the limit is admitted',
  { timeout: 30_000 },
  async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 8 }),
        fc.integer({ min: 1, max: 24 }),
        fc.boolean(),
        async (max, calls, isDistant) => {
          const limit = rateLimit({ max, windowMs: 60_000, store: isDistant ? distant() : createRateStore() })
          let ran = 0
          const tool = readTool('one', { use: [limit], handle: async () => (ran++, 'ran') })
          const catalog = serve([tool], { clock: { now: () => 1000 } })
          const outcomes = await Promise.all(Array.from({ length: calls }, () => call(catalog, 'one')))
          assert.equal(ran, Math.min(max, calls))
          const refused = outcomes.filter((outcome) => codeOf(outcome) === 'RATE_LIMITED')
          assert.equal(refused.length, Math.max(0, calls - max))
          for (const outcome of refused) assert.match(textOf(outcome), /retry_after="60"/)
        },
      ),
      { numRuns: 80 },
    )
  },
)

test(
  'the window slides, refused calls do not lengthen the wait, and callers count apart',
  { timeout: 5000 },
  async () => {
    let now = 0
    const tool = readTool('one', { use: [rateLimit({ max: 2, windowMs: 1000 })] })
    const catalog = serve([tool], { clock: { now: () => now } })
    const at = async (time: number) => {
      now = time
      return codeOf(await call(catalog, 'one')) ?? 'ran'
    }
    assert.deepEqual(
      [await at(0), await at(600), await at(700), await at(999)],
      ['ran', 'ran', 'RATE_LIMITED', 'RATE_LIMITED'],
    )
    assert.deepEqual([await at(1001), await at(1002), await at(1601)], ['ran', 'RATE_LIMITED', 'ran'])
    const other = await call(catalog, 'one', {}, { caller: { ...owner, id: 'other' } })
    assert.equal(textOf(other), 'one')
  },
)

test('a clock that steps back does not lock a caller out, and keys are bounded', { timeout: 5000 }, () => {
  const store = createRateStore(3)
  const rule = { max: 1, windowMs: 1000 }
  const admitted = (key: string, now: number) => {
    const decision = store.take(key, rule, now)
    return !(decision instanceof Promise) && decision.admitted
  }
  assert.ok(admitted('a', 10_000))
  assert.ok(admitted('a', 5000))
  for (const key of ['b', 'c', 'd']) assert.ok(admitted(key, 5000))
  assert.ok(admitted('a', 5001), 'the key unused longest was dropped')
  assert.ok(!admitted('d', 5001))
})

test('a limit that makes no sense is refused when it is made', { timeout: 5000 }, () => {
  for (const bad of [
    { max: 0, windowMs: 1 },
    { max: 1.5, windowMs: 1 },
    { max: 1, windowMs: 0 },
    { max: 1, windowMs: Number.NaN },
  ]) {
    assert.throws(() => rateLimit(bad), RangeError)
  }
  assert.equal(rateLimit({ max: 10, windowMs: 60_000 }).id, 'rate-limit(10/60000ms)')
})
