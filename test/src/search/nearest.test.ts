import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { SqliteError } from 'better-sqlite3'
import type { Database } from '../../../src/db/client.ts'
import { memoryIndex } from '../../../src/search/memory-index.ts'
import { createAnswers } from '../../../src/search/answers.ts'
import { createNearestFinder, loadVectorExtension } from '../../../src/search/nearest.ts'
import type { NearestFinder } from '../../../src/search/nearest.ts'
import { searchDatabase, store } from './rows.ts'

const timeout = 60_000
const model = 'test-model'
const SIZE = 24

/** A direction of its own for each topic, tilted towards one that all share: the more, the more alike unrelated texts are. */
function vectorOf(topic: number, common: number): Float32Array {
  const vector = new Float32Array(SIZE + 1)
  vector[topic] = 1
  vector[SIZE] = common
  return vector
}

async function storeVectors(db: Database, made: readonly Float32Array[]): Promise<number[]> {
  const ids = await store(db, ...made.map((_, at) => `row ${at}`))
  await db.write(({ sqlite }) => {
    const insert = sqlite.prepare(
      'INSERT INTO memory_embeddings (memory_id, model, dim, vector, created_at) VALUES (?, ?, ?, ?, 1)',
    )
    for (const [at, vector] of made.entries()) insert.run(ids[at], model, vector.length, new Uint8Array(vector.buffer))
  })
  return ids
}

async function finders(db: Database): Promise<NearestFinder[]> {
  const loop = createNearestFinder(db.sqlite, memoryIndex, false)
  return (await loadVectorExtension(db.sqlite, () => undefined))
    ? [loop, createNearestFinder(db.sqlite, memoryIndex, true)]
    : [loop]
}

/** Ten rows on each of ten topics. */
async function topics(t: TestContext, common: number): Promise<{ db: Database; ids: number[] }> {
  const db = await searchDatabase(t)
  const made = Array.from({ length: 100 }, (_, at) => vectorOf(at % 10, common))
  return { db, ids: await storeVectors(db, made) }
}

test(
  'a query that has to do with no row finds none, and one that has finds all of its topic',
  { timeout },
  async (t) => {
    const { db, ids } = await topics(t, 0.3)
    const ofTopic = ids.filter((_, at) => at % 10 === 4)
    for (const finder of await finders(db)) {
      const ask = { model, filters: [], limit: 100 }
      assert.deepEqual(finder.find({ ...ask, vector: vectorOf(15, 0.3) }), [])
      const near = finder.find({ ...ask, vector: vectorOf(4, 0.3) }).map((row) => row.id)
      assert.deepEqual(
        near.toSorted((a, b) => a - b),
        ofTopic,
      )
    }
  },
)

test(
  'in a model to which all texts are alike, near is what stands out, and a query unlike any finds no more than a handful',
  { timeout },
  async (t) => {
    const { db } = await topics(t, 1.6)
    for (const finder of await finders(db)) {
      const ask = { model, filters: [], limit: 100 }
      assert.equal(finder.find({ ...ask, vector: vectorOf(4, 1.6) }).length, 10)
      assert.ok(finder.find({ ...ask, vector: vectorOf(15, 1.6) }).length <= 5)
    }
  },
)

test('vectors of another size under the same name are not compared and harm nothing', { timeout }, async (t) => {
  const db = await searchDatabase(t)
  const [whole = 0] = await storeVectors(db, [vectorOf(4, 0), new Float32Array(50).fill(1)])
  for (const finder of await finders(db)) {
    const found = finder.find({ model, vector: vectorOf(4, 0), filters: [], limit: 10 })
    assert.deepEqual(
      found.map((row) => row.id),
      [whole],
    )
  }
})

test(
  'a platform without the extension is warned of; any other failure to load it is not passed over',
  { timeout },
  async (t) => {
    const { sqlite } = await searchDatabase(t)
    const warnings: string[] = []
    const loadBy = (error: Error, code?: string) =>
      loadVectorExtension(
        sqlite,
        (message) => warnings.push(message),
        async () => {
          throw code === undefined ? error : Object.assign(error, { code })
        },
      )
    assert.equal(await loadBy(new Error('Cannot find package'), 'ERR_MODULE_NOT_FOUND'), false)
    assert.equal(await loadBy(new Error('vec0.so: cannot open shared object file'), 'SQLITE_ERROR'), false)
    assert.equal(await loadBy(new Error('Unsupported platform for sqlite-vec, on a x-y machine.')), false)
    assert.equal(warnings.length, 3)
    await assert.rejects(loadBy(new Error('out of memory'), 'SQLITE_NOMEM'), /out of memory/)
    await assert.rejects(loadBy(new TypeError('load is not a function')), TypeError)
    assert.equal(warnings.length, 3)
  },
)

test('a search by meaning waits, as any other, while another process holds the database', { timeout }, async (t) => {
  const { db, ids } = await topics(t, 0.3)
  let refusals = 0
  // What SQLite throws while another process recovers the log, once.
  db.sqlite.function('is_free', () => {
    if (refusals++ === 0) throw new SqliteError('database is locked', 'SQLITE_BUSY')
    return 1
  })
  const busyOnce = { ...memoryIndex, live: 'is_free() AND r.deleted_at IS NULL' }
  const answers = createAnswers(db.sqlite, [busyOnce], () => undefined)
  const ask = { model, vector: vectorOf(4, 0.3), filters: [], limit: 1 }
  const [row] = await answers.answer('memory', 'nearest', ask)
  assert.equal(row?.id, ids[94])
})
