import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { checkIndex, refreshIndex } from '../../../src/search/check-index.ts'
import { memoryIndex } from '../../../src/search/memory-index.ts'
import { change, found, hardDelete, searchDatabase, softDelete, store, undelete } from './rows.ts'
import type { Database } from '../../../src/db/client.ts'

const timeout = 60_000

async function assertAgrees(db: Database, when: string): Promise<void> {
  const check = await db.write(({ sqlite }) => checkIndex(sqlite, memoryIndex))
  assert.deepEqual(check.problems, [], when)
}

test(
  'only the current text is found after replace, update, soft delete, undelete and hard delete',
  { timeout },
  async (t) => {
    const db = await searchDatabase(t)
    const seen = async (when: string, expected: readonly string[]): Promise<void> => {
      const words = ['alpha', 'beta', 'gamma'].filter((word) => found(db, word).length > 0)
      assert.deepEqual(words, expected, when)
      await assertAgrees(db, when)
    }
    const [id = 0] = await store(db, 'old alpha')
    await seen('stored', ['alpha'])
    await change(db, id, 'new beta')
    await seen('replaced', ['beta'])
    await change(db, id, 'gamma')
    await seen('updated', ['gamma'])
    await softDelete(db, id)
    await seen('soft-deleted', [])
    await softDelete(db, id)
    await seen('soft-deleted twice', [])
    await undelete(db, id)
    await seen('undeleted', ['gamma'])
    await hardDelete(db, id)
    await seen('hard-deleted', [])
    await hardDelete(db, id)
    await seen('deleted twice', [])
  },
)

test('a write that is undone leaves no trace in the index', { timeout }, async (t) => {
  const db = await searchDatabase(t)
  await store(db, 'first memory about sailing')
  const failed = db.write(({ sqlite }) => {
    sqlite.prepare(`UPDATE memories SET content = 'hiking'`).run()
    throw new Error(sqlite.inTransaction ? 'undo' : 'no transaction')
  })
  await assert.rejects(failed, /undo/)
  await assertAgrees(db, 'after the undone write')
  assert.equal(found(db, 'sailing').length, 1)
})

test('index and rows agree after any sequence of writes', { timeout }, async (t) => {
  const db = await searchDatabase(t)
  const step = fc.record({
    act: fc.constantFrom('store', 'change', 'soft', 'undelete', 'hard'),
    text: fc.constantFrom(
      'alpha beta',
      'Wir haben Häuser an der Straße',
      '部署方案',
      'POL-358 beta beta',
      '',
      'the who',
    ),
    at: fc.nat(5),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
      const ids: number[] = []
      const gone = new Set<number>()
      for (const { act, text, at } of steps) {
        const id = ids[at % Math.max(1, ids.length)]
        if (act === 'store' || id === undefined) ids.push(...(await store(db, text)))
        else if (gone.has(id)) continue
        else if (act === 'change') await change(db, id, text)
        else if (act === 'soft') await softDelete(db, id)
        else if (act === 'undelete') await undelete(db, id)
        else {
          await hardDelete(db, id)
          gone.add(id)
        }
      }
      // A change puts a soft-deleted row back into the index here; refreshing takes it out again.
      await refreshIndex(db, memoryIndex)
      await assertAgrees(db, JSON.stringify(steps))
    }),
    { numRuns: 25 },
  )
})

test('an index that was lost or written by another analyser is built again', { timeout }, async (t) => {
  const db = await searchDatabase(t)
  const ids = await store(db, ...Array.from({ length: 50 }, (_, i) => `memory ${i} about topic${i}`))
  await db.write(({ sqlite }) => {
    sqlite.exec(
      `DELETE FROM memory_fts; DELETE FROM memory_docs; DELETE FROM memory_df; DELETE FROM memory_index_state`,
    )
  })
  assert.deepEqual(found(db, 'topic7'), [])
  assert.equal(await refreshIndex(db, memoryIndex), 50)
  await assertAgrees(db, 'rebuilt')
  assert.deepEqual(found(db, 'topic7'), [ids[7]])

  await db.write(({ sqlite }) =>
    sqlite.exec(
      `UPDATE memory_docs SET version = 1 WHERE id % 2 = 0; DELETE FROM memory_index_state WHERE key = 'version'`,
    ),
  )
  assert.equal(await refreshIndex(db, memoryIndex), 25)
  assert.equal(await refreshIndex(db, memoryIndex), 0)
  await assertAgrees(db, 'after another version')
})

test('the check names what is wrong', { timeout }, async (t) => {
  const db = await searchDatabase(t)
  const [first = 0] = await store(db, 'one sailing', 'two hiking')
  await db.write(({ sqlite }) => sqlite.exec(`DELETE FROM memory_fts WHERE rowid = ${first}`))
  const { problems } = await db.write(({ sqlite }) => checkIndex(sqlite, memoryIndex))
  assert.ok(
    problems.some((problem) => problem.includes('"sail"')),
    problems.join('; '),
  )
})

test('a word that no memory has any more is forgotten by the index', { timeout }, async (t) => {
  const db = await searchDatabase(t)
  const [secret = 0] = await store(db, 'the password is hunter2xyzzy', 'the password is elsewhere')
  const known = (): unknown[] => db.sqlite.prepare(`SELECT term FROM memory_terms WHERE term LIKE '%xyzzy%'`).all()
  assert.equal(known().length, 1)
  await softDelete(db, secret)
  assert.deepEqual([known(), found(db, 'xyzz'), found(db, 'hunter2xyzzy')], [[], [], []])
  await undelete(db, secret)
  assert.deepEqual(found(db, 'hunter2xyzzy'), [secret])
  assert.deepEqual(found(db, 'xyzz'), [secret])
  await assertAgrees(db, 'undeleted')
})
