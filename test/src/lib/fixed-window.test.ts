// Counting per key in fixed windows.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { FixedWindow } from '../../../src/lib/fixed-window.ts'

const timeout = 10_000

test('exactly as many charges pass as the window allows, and the next window starts afresh', { timeout }, () => {
  const window = new FixedWindow({ max: 3, windowMs: 100 })
  assert.deepEqual(
    [0, 1, 2, 3, 4].map((now) => window.charge('a', now)),
    [true, true, true, false, false],
  )
  assert.equal(window.retryAfterMs('a', 40), 60)
  assert.equal(window.charge('a', 99), false)
  assert.equal(window.charge('a', 100), true)
})

test('looking does not count', { timeout }, () => {
  const window = new FixedWindow({ max: 1, windowMs: 100 })
  for (let look = 0; look < 10; look++) assert.equal(window.isSpent('a', 0), false)
  assert.equal(window.charge('a', 0), true)
  assert.equal(window.isSpent('a', 1), true)
  assert.equal(window.isSpent('a', 100), false)
})

test('a clock that goes back does not lock anyone out', { timeout }, () => {
  const window = new FixedWindow({ max: 1, windowMs: 100 })
  window.charge('a', 1_000_000)
  assert.equal(window.charge('a', 1_000_001), false)
  assert.equal(window.charge('a', 10), true)
})

test('memory stays bounded however many keys come, and the newest are the ones remembered', { timeout }, () => {
  const window = new FixedWindow({ max: 1, windowMs: 1000, keysMax: 50 })
  for (let index = 0; index < 5000; index++) window.charge(`key ${index}`, 0)
  assert.equal(window.size, 50)
  assert.equal(window.charge('key 4999', 1), false)
  window.charge('later', 5000)
  assert.equal(window.size, 1)
})

test('no window lets more through than its bound, whatever the order of keys', { timeout }, () => {
  const steps = fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.nat(40)), { maxLength: 200 })
  fc.assert(
    fc.property(steps, fc.integer({ min: 1, max: 5 }), (charges, max) => {
      const window = new FixedWindow({ max, windowMs: 100 })
      const passed = new Map<string, number[]>()
      let now = 0
      for (const [key, pause] of charges) {
        now += pause
        if (window.charge(key, now)) passed.set(key, [...(passed.get(key) ?? []), now])
      }
      // Windows do not overlap, so any span shorter than a window holds at most two windows' worth.
      for (const times of passed.values()) {
        for (const start of times) assert.ok(times.filter((at) => at >= start && at < start + 100).length <= 2 * max)
      }
    }),
  )
})
