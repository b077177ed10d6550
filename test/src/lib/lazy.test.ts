import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Lazy } from '../../../src/lib/lazy.ts'

const timeout = 5_000

test('what is made lazily is made once, also for those who come while it is made', { timeout }, async () => {
  let made = 0
  const lazy = new Lazy(async () => ++made)
  assert.equal(await lazy.peek(), undefined)
  assert.deepEqual(await Promise.all([lazy.get(), lazy.get(), lazy.peek()]), [1, 1, 1])
  assert.equal(await lazy.get(), 1)
})

test('what could not be made is tried again, and is nothing meanwhile', { timeout }, async () => {
  let tries = 0
  const lazy = new Lazy(async () => {
    if (++tries < 3) throw new Error(`try ${tries}`)
    return tries
  })
  const both = await Promise.allSettled([lazy.get(), lazy.get(), lazy.peek()])
  assert.deepEqual(
    both.map(({ status }) => status),
    ['rejected', 'rejected', 'fulfilled'],
  )
  await assert.rejects(lazy.get(), /try 2/)
  assert.equal(await lazy.peek(), undefined)
  assert.equal(await lazy.get(), 3)
})
