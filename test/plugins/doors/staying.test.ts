// Whoever stays leaves when their pass ends, however the timer and the clock disagree.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onceUnwelcome } from '../../../plugins/doors/staying.ts'
import { DAY_MS } from '../../../src/lib/time.ts'
import { VerifiedTokens } from '../../../src/oauth/verified.ts'

const timeout = 10_000

/** A guest whose pass is good before `expiresAt`, by a clock that is set by hand. */
function guest(expiresAt: number) {
  const clock = { at: 0, now: () => clock.at }
  const verified = new VerifiedTokens()
  const ended: number[] = []
  let looks = 0
  const isGood = (now: number): boolean => {
    looks++
    return now < expiresAt
  }
  const caller = { id: 'a', kind: 'local', scopes: 'all' } as const
  const pass = { caller, server: 'all', expiresAt, used: () => undefined, isGood }
  const leave = onceUnwelcome({ pass, server: { clock, tokens: { verified } } }, () => ended.push(clock.at))
  return { clock, ended, verified, leave, looks: () => looks }
}

test('a pass that ended between the door and the stream ends it at once', { timeout }, () => {
  assert.deepEqual(guest(0).ended, [0])
})

test('a look that comes early by the clock is followed by another', { timeout }, (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const { clock, ended } = guest(1000)
  clock.at = 999
  t.mock.timers.tick(1000)
  assert.deepEqual(ended, [])
  clock.at = 1000
  t.mock.timers.tick(1)
  assert.deepEqual(ended, [1000])
})

test('a clock that is set back only makes it wait longer', { timeout }, (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const { clock, ended } = guest(1000)
  clock.at = -5000
  t.mock.timers.tick(1000)
  clock.at = 1000
  t.mock.timers.tick(5999)
  assert.deepEqual(ended, [])
  t.mock.timers.tick(1)
  assert.deepEqual(ended, [1000])
})

test('a pass may last longer than a timer can', { timeout }, (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const { clock, ended, looks } = guest(60 * DAY_MS)
  for (let day = 1; day <= 60; day++) {
    assert.deepEqual(ended, [], `day ${day}`)
    clock.at = day * DAY_MS
    t.mock.timers.tick(DAY_MS)
  }
  assert.deepEqual(ended, [60 * DAY_MS])
  assert.equal(looks(), 4, 'at the start, and in steps of what a timer can wait')
})

test('a pass without an end, and one that is not watched any more, start no timer', { timeout }, (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const endless = guest(Infinity)
  endless.verified.clear()
  const left = guest(1000)
  left.leave()
  for (const { clock } of [endless, left]) clock.at = 2000
  t.mock.timers.tick(2 ** 31 - 1)
  left.verified.clear()
  assert.deepEqual([endless.ended, left.ended, endless.looks(), left.looks()], [[], [], 2, 1])
})
