import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import BetterSqlite3 from 'better-sqlite3'
import type { Database } from '../../../src/db/client.ts'
import { openReader } from '../../../src/db/reader.ts'
import { temporaryDatabase } from './temporary.ts'

const options = { timeout: 20_000 }

function put(db: Database, key: string): Promise<number> {
  return db.write((tx) => tx.sqlite.prepare(`INSERT INTO settings VALUES (?, '1', 1)`).run(key).changes)
}

function keys(db: { readonly sqlite: Database['sqlite'] }): unknown[] {
  return db.sqlite.prepare('SELECT key FROM settings ORDER BY key').pluck().all()
}

test('writes of one turn of the loop share one commit', options, async (t) => {
  const db = await temporaryDatabase(t)
  const seen: boolean[] = []
  const reader = openReader(db.path)
  t.after(() => reader.close())
  const writes = ['a', 'b', 'c'].map((key) => put(db, key).then(() => seen.push(keys({ sqlite: reader }).length === 3)))
  assert.deepEqual(keys({ sqlite: reader }), [])
  await Promise.all(writes)
  assert.deepEqual(seen, [true, true, true])
})

test('a write that throws undoes itself, and only itself', options, async (t) => {
  const db = await temporaryDatabase(t)
  const results = await Promise.allSettled([
    put(db, 'before'),
    db.write((tx) => {
      tx.sqlite.exec(`INSERT INTO settings VALUES ('half', '1', 1)`)
      throw new RangeError('second thoughts')
    }),
    put(db, 'after'),
  ])
  assert.deepEqual(
    results.map((result) => result.status),
    ['fulfilled', 'rejected', 'fulfilled'],
  )
  assert.deepEqual(keys(db), ['after', 'before'])
})

test('whatever mixture of writes arrives, exactly the resolved ones are stored', options, async (t) => {
  const db = await temporaryDatabase(t, { limits: { batchMax: 4 } })
  let run = 0
  await fc.assert(
    fc.asyncProperty(fc.array(fc.constantFrom('good', 'throws', 'duplicate'), { maxLength: 20 }), async (kinds) => {
      run++
      await db.write((tx) => tx.sqlite.exec('DELETE FROM settings'))
      await put(db, 'taken')
      const results = await Promise.allSettled(
        kinds.map((kind, index) => {
          const key = `${run}-${String(index).padStart(2, '0')}`
          if (kind === 'good') return put(db, key)
          return db.write((tx) => {
            tx.sqlite.prepare(`INSERT INTO settings VALUES (?, '1', 1)`).run(key)
            if (kind === 'throws') throw new Error('no')
            tx.sqlite.exec(`INSERT INTO settings VALUES ('taken', '1', 1)`)
          })
        }),
      )
      const stored = kinds.flatMap((kind, index) =>
        kind === 'good' ? [`${run}-${String(index).padStart(2, '0')}`] : [],
      )
      assert.deepEqual(keys(db), [...stored, 'taken'])
      assert.deepEqual(
        results.map((result) => result.status === 'fulfilled'),
        kinds.map((kind) => kind === 'good'),
      )
    }),
    { numRuns: 40 },
  )
})

test('a write must be synchronous: one that returns a promise is undone and refused', options, async (t) => {
  const db = await temporaryDatabase(t)
  const late = db.write((tx) => {
    tx.sqlite.exec(`INSERT INTO settings VALUES ('late', '1', 1)`)
    return Promise.resolve(1)
  })
  await assert.rejects(late, TypeError)
  assert.deepEqual(keys(db), [])
})

test('a write may queue another one, which runs after it', options, async (t) => {
  const db = await temporaryDatabase(t)
  const order: string[] = []
  const inner = await db.write(() => {
    order.push('outer')
    return { promise: db.write(() => void order.push('inner')) }
  })
  await inner.promise
  assert.deepEqual(order, ['outer', 'inner'])
})

test(
  'a write that meddles with the transaction fails with its neighbours, and the queue goes on',
  options,
  async (t) => {
    const db = await temporaryDatabase(t)
    for (const sql of ['ROLLBACK', 'RELEASE write']) {
      const results = await Promise.allSettled([
        put(db, 'a'),
        db.write((tx) => {
          tx.sqlite.exec(sql)
          throw new Error('out of bounds')
        }),
        put(db, `after ${sql}`),
      ])
      assert.deepEqual(
        results.map((result) => result.status),
        ['rejected', 'rejected', 'fulfilled'],
      )
    }
    assert.deepEqual(keys(db), ['after RELEASE write', 'after ROLLBACK'])
  },
)

test('the queue is bounded and says when to come back', options, async (t) => {
  const db = await temporaryDatabase(t, { limits: { waitingMax: 3 } })
  const results = await Promise.allSettled(['a', 'b', 'c', 'd'].map((key) => put(db, key)))
  const last = results.at(-1)
  assert.ok(last?.status === 'rejected')
  assert.equal(last.reason.code, 'DATABASE_BUSY')
  assert.ok(last.reason.retryAfterMs > 0)
  assert.deepEqual(keys(db), ['a', 'b', 'c'])
})

test(
  'a write that another connection blocks for too long is refused as busy, later ones go through',
  options,
  async (t) => {
    const db = await temporaryDatabase(t, { limits: { waitMs: 200 } })
    const other = new BetterSqlite3(db.path)
    t.after(() => other.close())
    other.exec('BEGIN IMMEDIATE')
    const started = performance.now()
    await assert.rejects(put(db, 'a'), { code: 'DATABASE_BUSY', retryAfterMs: 1000 })
    assert.ok(performance.now() - started < 2000)
    const later = put(db, 'b')
    other.exec('COMMIT')
    assert.equal(await later, 1)
    assert.deepEqual(keys(db), ['b'])
  },
)

test('closing while another connection holds the lock still waits for what was accepted', options, async (t) => {
  const db = await temporaryDatabase(t)
  const other = new BetterSqlite3(db.path)
  other.exec('BEGIN IMMEDIATE')
  const accepted = put(db, 'a')
  const closed = db.close()
  setTimeout(() => other.exec('COMMIT').close(), 100)
  assert.equal(await accepted, 1)
  await closed
})

test('a long queue is committed in several transactions and the loop turns in between', options, async (t) => {
  const db = await temporaryDatabase(t, { limits: { batchMax: 10 } })
  let turns = 0
  const tick = (): void => {
    turns++
    timer = setImmediate(tick)
  }
  let timer = setImmediate(tick)
  await Promise.all(Array.from({ length: 100 }, (_, index) => put(db, String(index))))
  clearImmediate(timer)
  assert.ok(turns >= 9, `${turns} turns`)
})

test('a read waits on a timer while the database is locked altogether', options, async (t) => {
  const db = await temporaryDatabase(t)
  let attempts = 0
  const value = await db.read((tx) => {
    attempts++
    if (attempts < 3) throw new BetterSqlite3.SqliteError('database is locked', 'SQLITE_BUSY_RECOVERY')
    return tx.sqlite.prepare('SELECT 7').pluck().get()
  })
  assert.equal(value, 7)
  assert.equal(attempts, 3)
})
