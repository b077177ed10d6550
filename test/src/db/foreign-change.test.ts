import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openDatabase } from '../../../src/db/client.ts'
import type { Database } from '../../../src/db/client.ts'
import { onForeignChange } from '../../../src/db/foreign-change.ts'
import { temporaryDatabase } from './temporary.ts'

const put = (db: Database, key: string) =>
  db.write((tx) => tx.sqlite.prepare(`INSERT INTO settings VALUES (?, '1', 1)`).run(key))

/** Resolves after so many turns of a timer: any timer that is as quick and was begun before has had as many. */
async function ticks(count: number, everyMs: number): Promise<void> {
  const turned = Promise.withResolvers<void>()
  let left = count
  const timer = setInterval(() => --left === 0 && turned.resolve(), everyMs)
  await turned.promise
  clearInterval(timer)
}

test('a commit of another connection is noticed, our own is not', { timeout: 10_000 }, async (t) => {
  const db = await temporaryDatabase(t)
  const other = await openDatabase({ path: db.path })
  t.after(() => other.close())
  const seen: string[] = []
  const noticed = Promise.withResolvers<void>()
  const stop = onForeignChange(
    db,
    () => {
      seen.push(db.sqlite.prepare('SELECT group_concat(key) FROM settings').pluck().all().join(''))
      noticed.resolve()
    },
    5,
  )
  t.after(stop)
  await put(db, 'ours')
  await put(other, 'theirs')
  await noticed.promise
  assert.deepEqual(seen, ['ours,theirs'])
  stop()
  // Another watcher, begun later and as quick, has looked twice: the stopped one would have looked before that.
  for (const key of ['unwatched', 'again']) {
    const looked = Promise.withResolvers<void>()
    const stopOther = onForeignChange(db, () => looked.resolve(), 5)
    t.after(stopOther)
    await put(other, key)
    await looked.promise
    stopOther()
  }
  assert.equal(seen.length, 1)
})

test('looking ends by itself when the database is closed', { timeout: 10_000 }, async (t) => {
  const db = await temporaryDatabase(t)
  onForeignChange(db, () => assert.fail('nothing changed'), 1)
  await db.close()
  await ticks(5, 1)
})
