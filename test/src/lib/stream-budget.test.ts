// Places for streams: counted exactly, whatever order they come and go in.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { StreamBudget } from '../../../src/lib/stream-budget.ts'

const timeout = 20_000

test('a place is given back once, however often it is given back', { timeout }, () => {
  const budget = new StreamBudget(2)
  const leave = budget.take('a')
  assert.ok(typeof leave === 'function')
  leave()
  leave()
  assert.equal(budget.open, 0)
})

test('a closed budget has no places, and still counts those it gave', { timeout }, () => {
  const budget = new StreamBudget(8)
  const leave = budget.take('a')
  budget.close()
  assert.match(String(budget.take('b')), /shutting down/)
  assert.equal(budget.open, 1)
  if (typeof leave === 'function') leave()
  assert.equal(budget.open, 0)
})

test('neither bound is ever passed, and in the end nothing is held', { timeout }, () => {
  const step = fc.record({ caller: fc.constantFrom('a', 'b', 'c'), leaves: fc.nat() })
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 20 }), fc.array(step, { maxLength: 200 }), (max, steps) => {
      const budget = new StreamBudget(max)
      const held: { caller: string; leave: () => void }[] = []
      for (const { caller, leaves } of steps) {
        const place = budget.take(caller)
        if (typeof place === 'function') held.push({ caller, leave: place })
        else if (held.length > 0) held.splice(leaves % held.length, 1)[0]?.leave()
        const own = held.filter((one) => one.caller === caller).length
        assert.equal(budget.open, held.length)
        assert.ok(held.length <= max && own <= max - Math.floor(max / 4))
      }
      for (const { leave } of held) leave()
      assert.equal(budget.open, 0)
    }),
  )
})
