import assert from 'node:assert/strict'
import { test } from 'node:test'
import { atOnce, inSlices } from '../../../src/lib/slices.ts'
import type { Steps } from '../../../src/lib/slices.ts'

const timeout = 10_000
const STEP_MS = 2

/** Steps that keep the process busy. */
function* busy(steps: number, done: { count: number }): Steps<string> {
  for (; done.count < steps; done.count++) {
    const until = performance.now() + STEP_MS
    while (performance.now() < until);
    yield
  }
  return 'done'
}

function* failing(): Steps<void> {
  yield
  throw new RangeError('broken')
}

test('work ends in what it returns, at once or in slices', { timeout }, async () => {
  assert.equal(atOnce(busy(3, { count: 0 })), 'done')
  assert.equal(await inSlices(busy(3, { count: 0 })), 'done')
  assert.equal(await inSlices(busy(0, { count: 0 })), 'done')
})

test('others have their turn while it is done', { timeout }, async () => {
  const steps = 30
  let turns = 0
  const timer = setInterval(() => turns++, 1)
  await inSlices(busy(steps, { count: 0 }))
  clearInterval(timer)
  assert.ok(turns >= steps / 6, `${turns} turns`)
})

test('what is no longer wanted is given up between two slices', { timeout }, async () => {
  const done = { count: 0 }
  assert.equal(await inSlices(busy(1000, done), () => done.count < 10), undefined)
  assert.ok(done.count >= 10 && done.count < 100, `${done.count} steps`)
  assert.equal(await inSlices(busy(1, { count: 0 }), () => false), undefined)
})

test('what fails in a step fails', { timeout }, async () => {
  await assert.rejects(inSlices(failing()), /broken/)
  assert.throws(() => atOnce(failing()), /broken/)
})
