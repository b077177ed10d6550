import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Database } from '../../../src/db/client.ts'
import { openReader } from '../../../src/db/reader.ts'
import { checkIndex } from '../../../src/search/check-index.ts'
import { prepareTotals } from '../../../src/search/counts.ts'
import { Lookup } from '../../../src/search/lookup.ts'
import { memoryIndex } from '../../../src/search/memory-index.ts'
import { indexScript } from '../../../src/search/text-index.ts'
import { change, found, hardDelete, searchDatabase, softDelete, store } from './rows.ts'

const timeout = 60_000

function problems(db: Database): Promise<readonly string[]> {
  return db.write(({ sqlite }) => checkIndex(sqlite, memoryIndex).problems)
}

/** Rows of the table of frequencies, as it is on disk. */
function countedTerms(db: Database): number {
  return db.sqlite.prepare<[], number>('SELECT count(*) FROM memory_df').pluck().get() ?? 0
}

test('new rows are counted together, and whoever reads sees each of them at once', { timeout }, async (t) => {
  const db = await searchDatabase(t)
  const lookup = new Lookup(db.sqlite, memoryIndex)
  for (let stored = 1; stored <= 300; stored++) {
    await store(db, `sailing number${stored}`)
    assert.equal(lookup.forms(['sail'])[0]?.df, stored)
    if (stored === 100) assert.equal(countedTerms(db), 0)
    if (stored === 128) assert.equal(countedTerms(db) > 128, true)
  }
  assert.equal(lookup.known('sailing').rows, 300)
  assert.deepEqual(await problems(db), [])
})

test('a reader that keeps looking sees the counts that a fresh look at all rows gives', { timeout }, async (t) => {
  const db = await searchDatabase(t)
  const reader = openReader(db.path)
  t.after(() => reader.close())
  const kept = new Lookup(reader, memoryIndex)
  const words = ['alpha', 'beta', 'gamma', 'delta']
  const ids: number[] = []
  const step = fc.record({
    act: fc.constantFrom('store', 'store', 'store', 'many', 'change', 'hide', 'erase'),
    text: fc.subarray(words, { minLength: 1 }).map((some) => some.join(' ')),
    at: fc.nat(),
  })
  const run = async ({ act, text, at }: { act: string; text: string; at: number }): Promise<void> => {
    const id = ids[at % Math.max(1, ids.length)]
    if (act === 'store' || id === undefined) ids.push(...(await store(db, text)))
    else if (act === 'many') ids.push(...(await store(db, ...Array.from({ length: 70 }, () => text))))
    else if (act === 'change') await change(db, id, text)
    else {
      await (act === 'hide' ? softDelete(db, id) : hardDelete(db, id))
      ids.splice(ids.indexOf(id), 1)
    }
  }
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
      for (const one of steps) {
        await run(one)
        const contents = db.sqlite.prepare<[], string>('SELECT content FROM memories WHERE deleted_at IS NULL').pluck()
        const living = contents.all()
        for (const { term, df } of kept.forms(words)) {
          assert.equal(df, living.filter((content) => content.includes(term)).length, term)
        }
        assert.equal(kept.known('alpha').rows, living.length)
        assert.equal(prepareTotals(reader, 'memory')().rows, living.length)
      }
      assert.deepEqual(await problems(db), [])
    }),
    { numRuns: 20 },
  )
})

test('a word is not forgotten while a row that is not counted yet has it', { timeout }, async (t) => {
  const db = await searchDatabase(t)
  const [first = 0, other = 0] = await store(db, 'the word is xyzzy', 'another word')
  await softDelete(db, other)
  const [second = 0] = await store(db, 'xyzzy again')
  await softDelete(db, first)
  assert.deepEqual([found(db, 'xyzzy'), found(db, 'xyzz')], [[second], [second]])
  assert.deepEqual(await problems(db), [])
})

test('an index whose rows were counted one by one is continued', { timeout }, async (t) => {
  const db = await searchDatabase(t)
  const [, last = 0] = await store(db, 'first about sailing', 'second about sailing')
  await change(db, last, 'second about hiking')
  for (const script of [indexScript(memoryIndex), '']) {
    await db.write(({ sqlite }) => sqlite.exec(`DELETE FROM memory_index_state WHERE key = 'counted'; ${script}`))
    await store(db, 'third about sailing')
    assert.deepEqual(await problems(db), [])
    await change(db, last, 'all of them are counted')
    assert.deepEqual(await problems(db), [])
  }
})

test('a write that is undone leaves no counts behind', { timeout }, async (t) => {
  const db = await searchDatabase(t)
  await store(db, ...Array.from({ length: 120 }, (_, i) => `memory ${i}`))
  const lookup = new Lookup(db.sqlite, memoryIndex)
  assert.equal(lookup.known('memory').rows, 120)
  const [kept] = await Promise.all([
    store(db, 'kept memory'),
    assert.rejects(store(db, ...Array.from({ length: 20 }, () => ({ content: 'undone', importance: 11 })))),
  ])
  assert.equal(lookup.known('memory').rows, 121)
  assert.deepEqual(found(db, 'kept'), kept)
  assert.deepEqual(await problems(db), [])
})
