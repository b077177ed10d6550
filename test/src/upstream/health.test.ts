// When a source may be started, as properties of any history.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Health } from '../../../src/upstream/health.ts'
import { turnedTimers } from '../../fixtures/upstream/turned-timers.ts'

const timeout = 60_000
const BOUNDS = {
  healthyMs: 10_000,
  backoffMs: 500,
  backoffMaxMs: 60_000,
  failuresMax: 5,
  pauseMs: 30_000,
  pauseMaxMs: 600_000,
}

test('the first end after lasting health is followed by a start at once', { timeout }, () => {
  const timers = turnedTimers()
  const health = new Health(BOUNDS, timers, () => 1)
  health.begun()
  health.ready()
  health.ended(10_000, 'killed')
  assert.deepEqual(health.verdict(), { kind: 'go' })
  health.begun()
  health.ready()
  health.ended(9_999, 'killed')
  assert.deepEqual(health.verdict(), { kind: 'wait', ms: 500 })
})

test('pauses double, then the circuit opens; one try closes it', { timeout }, () => {
  const timers = turnedTimers()
  const health = new Health(BOUNDS, timers, () => 1)
  const waits: number[] = []
  for (let turn = 0; turn < 4; turn++) {
    health.begun()
    health.failed('no')
    const verdict = health.verdict()
    waits.push(verdict.kind === 'wait' ? verdict.ms : -1)
    timers.turn(60_000)
  }
  assert.deepEqual(waits, [500, 1_000, 2_000, 4_000])
  health.begun()
  health.failed('no')
  assert.deepEqual(health.verdict(), { kind: 'open', ms: 30_000, reason: 'no' })
  assert.equal(health.circuit, 'open')
  timers.turn(30_000)
  assert.equal(health.circuit, 'half-open')
  assert.equal(health.verdict().kind, 'go')
  health.begun()
  assert.equal(health.verdict().kind, 'wait', 'others wait for the one try')
  health.failed('still no')
  assert.deepEqual(health.verdict(), { kind: 'open', ms: 60_000, reason: 'still no' })
  timers.turn(60_000)
  health.begun()
  health.ready()
  assert.equal(health.circuit, 'closed')
  health.ended(10, 'died')
  assert.equal(health.verdict().kind, 'open', 'a short life forgives nothing')
})

test('after any history: pauses are bounded, what fails on is given up, and time brings a new try', { timeout }, () => {
  const step = fc.oneof(
    fc.constant('fails' as const),
    fc.constant('dies' as const),
    fc.constant('lives' as const),
    fc.constant('stops' as const),
    fc.nat(700_000),
  )
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), fc.double({ min: 0, max: 1, noNaN: true }), (steps, random) => {
      const timers = turnedTimers()
      const health = new Health(BOUNDS, timers, () => random)
      let inRow = 0
      for (const each of steps) {
        if (typeof each === 'number') {
          timers.turn(each)
          continue
        }
        const verdict = health.verdict()
        if (verdict.kind !== 'go') {
          const max = verdict.kind === 'open' ? BOUNDS.pauseMaxMs : BOUNDS.backoffMaxMs
          assert.ok(verdict.ms >= 0 && verdict.ms <= max)
          assert.equal(verdict.kind === 'open', inRow >= BOUNDS.failuresMax)
          continue
        }
        health.begun()
        if (each === 'fails') health.failed('no')
        else {
          health.ready()
          health.ended(each === 'lives' ? BOUNDS.healthyMs : 1, each === 'stops' ? undefined : 'died')
        }
        inRow = each === 'lives' ? 0 : each === 'stops' ? inRow : inRow + 1
        assert.equal(health.failures, inRow)
      }
      timers.turn(BOUNDS.pauseMaxMs)
      assert.equal(health.verdict().kind, 'go')
    }),
  )
})
