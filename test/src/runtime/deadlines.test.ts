import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Deadlines, TICK_MS } from '../../../src/runtime/deadlines.ts'

test('deadlines fire once, never early, and only those that were not disarmed', { timeout: 30_000 }, (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const plan = fc.array(
    fc.record({
      ms: fc.integer({ min: 0, max: 30_000 }),
      armAt: fc.nat(40),
      disarmAt: fc.option(fc.nat(2000), { nil: undefined }),
    }),
    { maxLength: 40 },
  )
  fc.assert(
    fc.property(plan, (items) => {
      const deadlines = new Deadlines()
      const fired = items.map(() => 0)
      const armed = items.map(() => -1)
      const handles = items.map(() => deadlines.arm(60_000_000, () => undefined))
      for (const handle of handles) deadlines.disarm(handle)
      let now = 0
      for (let tick = 0; tick < 1700; tick++) {
        now = tick
        for (const [index, item] of items.entries()) {
          if (item.armAt === tick) {
            armed[index] = tick
            handles[index] = deadlines.arm(item.ms, () => {
              fired[index] = (fired[index] ?? 0) + 1
              assert.ok((now - item.armAt + 1) * TICK_MS >= item.ms, 'not early')
              assert.ok((now - item.armAt - 2) * TICK_MS <= item.ms, 'not late')
            })
          }
          const handle = handles[index]
          if (item.disarmAt === tick && armed[index] !== -1 && handle !== undefined) deadlines.disarm(handle)
        }
        t.mock.timers.tick(TICK_MS)
      }
      for (const [index, item] of items.entries()) {
        const stopped =
          item.disarmAt !== undefined &&
          item.disarmAt >= item.armAt &&
          (item.disarmAt - item.armAt - 1) * TICK_MS < item.ms
        if (stopped && fired[index] === 0) continue
        assert.equal(fired[index], 1, JSON.stringify(item))
      }
      assert.equal(deadlines.armed, 0)
    }),
    { numRuns: 30 },
  )
})

test('one timer serves all, and it stops when nothing is armed', { timeout: 5000 }, (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const made = t.mock.method(globalThis, 'setInterval')
  const cleared = t.mock.method(globalThis, 'clearInterval')
  const deadlines = new Deadlines()
  const all = Array.from({ length: 100 }, () => deadlines.arm(1000, () => undefined))
  assert.equal(made.mock.callCount(), 1)
  for (const one of all) {
    deadlines.disarm(one)
    deadlines.disarm(one)
  }
  assert.equal(deadlines.armed, 0)
  t.mock.timers.tick(TICK_MS)
  assert.equal(cleared.mock.callCount(), 1)
})

test('a deadline that disarms its neighbours while firing does not disturb the rest', { timeout: 5000 }, (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const deadlines = new Deadlines()
  const fired: number[] = []
  const all = [0, 1, 2, 3].map((id) =>
    deadlines.arm(100, () => {
      fired.push(id)
      const [first, , third] = all
      for (const other of id === 3 ? [first, third] : []) if (other !== undefined) deadlines.disarm(other)
    }),
  )
  t.mock.timers.tick(200)
  assert.deepEqual(fired, [3, 1])
  assert.equal(deadlines.armed, 0)
})
