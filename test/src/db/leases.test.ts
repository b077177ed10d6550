import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openDatabase } from '../../../src/db/client.ts'
import { releaseLease, takeLease } from '../../../src/db/leases.ts'
import { temporaryDatabase } from './temporary.ts'

const options = { timeout: 10_000 }
const lease = (holder: string) => ({ name: 'schedules', holder, ttlMs: 1000 })

test('a lease has one holder, who may renew it, until it ends or is given back', options, async (t) => {
  const db = await temporaryDatabase(t)
  assert.equal(await takeLease(db, lease('a'), 10_000), true)
  assert.equal(await takeLease(db, lease('b'), 10_500), false)
  assert.equal(await takeLease(db, lease('a'), 10_900), true)
  assert.equal(await takeLease(db, lease('b'), 11_500), false)
  assert.equal(await takeLease(db, lease('b'), 11_900), true)
  await releaseLease(db, lease('a'))
  assert.equal(await takeLease(db, lease('a'), 12_000), false)
  await releaseLease(db, lease('b'))
  assert.equal(await takeLease(db, lease('a'), 12_000), true)
})

test('a clock that is set back does not lock everybody out', options, async (t) => {
  const db = await temporaryDatabase(t)
  assert.equal(await takeLease(db, lease('a'), 90_000_000), true)
  assert.equal(await takeLease(db, lease('b'), 5000), true)
})

test('of many takers at once through two connections exactly one wins', options, async (t) => {
  const db = await temporaryDatabase(t)
  const other = await openDatabase({ path: db.path })
  t.after(() => other.close())
  const takers = Array.from({ length: 20 }, (_, index) => takeLease(index % 2 ? db : other, lease(`h${index}`), 1))
  const won = await Promise.all(takers)
  assert.equal(won.filter(Boolean).length, 1)
})
