import assert from 'node:assert/strict'
import { test } from 'node:test'
import { repeat } from '../../../src/lib/repeat.ts'

const timeout = 10_000

test('work comes once where no pause is named, and the end waits for it', { timeout }, async () => {
  const working = Promise.withResolvers<void>()
  let runs = 0
  let isEnded = false
  const stop = repeat(
    async () => {
      runs++
      await working.promise
    },
    { firstMs: 0 },
  )
  const ended = stop().then(() => (isEnded = true))
  await new Promise((resolve) => setImmediate(resolve))
  assert.equal(isEnded, false)
  working.resolve()
  await ended
  assert.equal(runs, 1)
})

test('an end before the first run is the end', { timeout }, async () => {
  const stop = repeat(() => Promise.reject(new Error('it never runs')), { firstMs: 60_000, everyMs: 1 })
  await stop()
  await stop()
})

test('runs follow each other, never two at a time, and are told of the end', { timeout }, async () => {
  const third = Promise.withResolvers<AbortSignal>()
  let [runs, atOnce] = [0, 0]
  const stop = repeat(
    async (signal) => {
      assert.equal(++atOnce, 1)
      if (++runs === 3) third.resolve(signal)
      await new Promise((resolve) => setImmediate(resolve))
      atOnce--
    },
    { firstMs: 1, everyMs: 1 },
  )
  const signal = await third.promise
  assert.equal(signal.aborted, false)
  await stop()
  assert.equal(signal.aborted, true)
})
