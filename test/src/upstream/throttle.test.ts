// Work that is asked for too often, and starts that hang.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { StartGate } from '../../../src/upstream/start-gate.ts'
import { Throttle } from '../../../src/upstream/throttle.ts'
import { turnedTimers } from '../../fixtures/upstream/turned-timers.ts'

const timeout = 10_000
const settled = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve))

test('rare work is done at once, incessant work now and then, the last wish always', { timeout }, async () => {
  const timers = turnedTimers()
  let runs = 0
  const throttle = new Throttle(() => (runs++, Promise.resolve()), timers, 100)
  throttle.ask()
  assert.equal(runs, 1)
  for (let ms = 0; ms < 5_000; ms++) {
    throttle.ask()
    timers.turn(1)
    await settled()
  }
  assert.ok(runs >= 50 && runs <= 70, String(runs))
  const before = runs
  throttle.ask()
  timers.turn(2_000)
  await settled()
  assert.ok(runs > before)
  throttle.stop()
  assert.equal(timers.armed, 0)
})

test('what is asked while it runs is done once more afterwards', { timeout }, async () => {
  const ends: (() => void)[] = []
  const throttle = new Throttle(() => new Promise((resolve) => void ends.push(resolve)), turnedTimers(), 100)
  const first = throttle.ensure()
  for (let turn = 0; turn < 5; turn++) throttle.ask()
  assert.equal(ends.length, 1)
  ends[0]?.()
  await first
  await settled()
  assert.equal(ends.length, 2)
})

test(
  'starts go a few at a time; one that hangs lets the next begin, and is not counted twice',
  { timeout },
  async () => {
    const timers = turnedTimers()
    const gate = new StartGate(2, 1_000, timers)
    const ends: (() => void)[] = []
    for (let index = 0; index < 6; index++) gate.run(() => new Promise((resolve) => void ends.push(resolve)))
    assert.equal(ends.length, 2)
    timers.turn(1_000)
    assert.equal(ends.length, 4)
    ends[0]?.()
    ends[1]?.()
    await settled()
    assert.equal(ends.length, 4, 'their places were given on already')
    ends[2]?.()
    await settled()
    assert.equal(ends.length, 5)
    gate.close()
    ends[3]?.()
    await settled()
    assert.equal(ends.length, 5)
  },
)
