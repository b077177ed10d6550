import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openDatabase } from '../../../src/db/client.ts'
import { spendOnce } from '../../../src/db/spent.ts'
import { temporaryDatabase } from './temporary.ts'

const options = { timeout: 10_000 }

test('of many that use one confirmation at once through two connections exactly one may', options, async (t) => {
  const db = await temporaryDatabase(t)
  const other = await openDatabase({ path: db.path })
  t.after(() => other.close())
  const uses = Array.from({ length: 20 }, (_, index) => spendOnce(index % 2 ? db : other, 'nonce', 2000, 1000))
  assert.equal((await Promise.all(uses)).filter(Boolean).length, 1)
})

test('a used confirmation is forgotten when it has expired, with the next one', options, async (t) => {
  const db = await temporaryDatabase(t)
  const nonces = () => db.sqlite.prepare('SELECT nonce FROM spent_confirmations ORDER BY nonce').pluck().all()
  assert.equal(await spendOnce(db, 'a', 2000, 1000), true)
  assert.equal(await spendOnce(db, 'b', 5000, 1999), true)
  assert.equal(await spendOnce(db, 'a', 2000, 1999), false)
  assert.deepEqual(nonces(), ['a', 'b'])
  assert.equal(await spendOnce(db, 'c', 5000, 2000), true)
  assert.deepEqual(nonces(), ['b', 'c'])
})
