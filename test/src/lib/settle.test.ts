import assert from 'node:assert/strict'
import { test } from 'node:test'
import { settleOnceIdle } from '../../../src/lib/settle.ts'

const settled = (everyMs: number): Promise<boolean> =>
  new Promise((resolve) => {
    // Holds the process, which the timer under test does not.
    const alive = setInterval(() => undefined, 1_000)
    settleOnceIdle({
      everyMs,
      done: (isSettled) => {
        clearInterval(alive)
        resolve(isSettled)
      },
    })
  })

test('what nothing refers to any more is given back at the first idle look', { timeout: 20_000 }, async () => {
  const gone = new WeakRef(Array.from({ length: 1_000 }, () => 1))
  assert.equal(await settled(200), true)
  assert.equal(gone.deref(), undefined)
})

test('a process that is never idle is left alone', { timeout: 20_000 }, async () => {
  let isOver = false
  const busy = (): void => {
    const until = performance.now() + 5
    while (performance.now() < until);
    if (!isOver) setImmediate(busy)
  }
  busy()
  try {
    assert.equal(await settled(10), false)
  } finally {
    isOver = true
  }
})
