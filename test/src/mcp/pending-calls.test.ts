// Calls that wait can be answered at any moment, once, and none is kept that has ended.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PendingCalls } from '../../../src/mcp/pending-calls.ts'

const timeout = 10_000
const never = new AbortController().signal
const ending = (): Error => new Error('ending')

test('a call that ends is forgotten, whether it ended well or not', { timeout }, async () => {
  const calls = new PendingCalls()
  const fails = calls.run(() => Promise.reject(new Error('broken')), never, ending)
  const works = calls.run(() => Promise.resolve(7), never, ending)
  assert.equal(calls.size, 2)
  await assert.rejects(fails, /broken/)
  assert.equal(await works, 7)
  await new Promise((resolve) => setImmediate(resolve))
  assert.equal(calls.size, 0)
})

test(
  'cutting answers every call that waits and tells its work to stop; later calls are cut at once',
  { timeout },
  async () => {
    const calls = new PendingCalls()
    const stopped: string[] = []
    const hang = (name: string) => (signal: AbortSignal) =>
      new Promise<never>(() => signal.addEventListener('abort', () => stopped.push(name)))
    const waiting = [calls.run(hang('one'), never, ending), calls.run(hang('two'), never, ending)]
    calls.cut()
    for (const call of waiting) await assert.rejects(call, /ending/)
    assert.deepEqual(stopped, ['one', 'two'])
    assert.equal(calls.size, 0)
    await assert.rejects(
      calls.run(() => Promise.resolve(1), never, ending),
      /ending/,
    )
  },
)

test('a client that leaves is told to the work', { timeout }, () => {
  const calls = new PendingCalls()
  const leaving = new AbortController()
  let seen = false
  void calls.run(
    (signal) => {
      signal.addEventListener('abort', () => (seen = true))
      return new Promise<never>(() => undefined)
    },
    leaving.signal,
    ending,
  )
  leaving.abort()
  assert.equal(seen, true)
})
