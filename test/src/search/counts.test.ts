import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Database } from '../../../src/db/client.ts'
import { openReader } from '../../../src/db/reader.ts'
import { checkIndex, refreshIndex } from '../../../src/search/check-index.ts'
import { prepareTotals } from '../../../src/search/counts.ts'
import { Lookup } from '../../../src/search/lookup.ts'
import { memoryIndex } from '../../../src/search/memory-index.ts'
import { countProblems } from '../../../src/search/recount.ts'
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

/** So many words that nobody else writes. */
function freshWords(count: number, mark: string): string {
  const letters = (at: number): string =>
    (at < 26 ? '' : letters(Math.floor(at / 26))) + String.fromCharCode(97 + (at % 26))
  return Array.from({ length: count }, (_, at) => `${mark}${letters(at)}`).join(' ')
}

/** Bytes of the words of rows that are not counted yet. */
function waitingBytes(db: Database): number {
  const sql = `SELECT coalesce(sum(octet_length(terms)), 0) FROM memory_docs
    WHERE id > (SELECT value FROM memory_index_state WHERE key = 'counted')`
  return db.sqlite.prepare<[], number>(sql).pluck().get() ?? 0
}

test('long rows wait for each other only as long as they have few words together', { timeout }, async (t) => {
  const db = await searchDatabase(t)
  for (let stored = 0; stored < 8; stored++) {
    await store(db, freshWords(4000, `q${String.fromCharCode(97 + stored)}`))
    assert.ok(waitingBytes(db) <= 16_384, String(waitingBytes(db)))
  }
  assert.ok(countedTerms(db) > 8000)
  // One that is too long by itself pays for itself, and the next one for nobody else.
  await store(db, freshWords(20_000, 'zz'))
  assert.equal(waitingBytes(db), 0)
  // Sizes that were remembered are those of writes that were undone.
  await assert.rejects(store(db, freshWords(4000, 'y'), { content: 'undone', importance: 11 }))
  for (let stored = 0; stored < 4; stored++) await store(db, freshWords(4000, `x${String.fromCharCode(97 + stored)}`))
  assert.ok(waitingBytes(db) <= 16_384)
  assert.deepEqual(await problems(db), [])
})

test('counts that something else changed are found, and mended at the next start', { timeout }, async (t) => {
  const damages = [
    // As a gateway does that counts every row at once: it takes out words of a row that waits, and forgets them.
    `UPDATE memory_df SET df = df - 1 WHERE term = (SELECT id FROM memory_terms WHERE term = 'zanzibar');
     DELETE FROM memory_df WHERE df = 0; DELETE FROM memory_parts WHERE rowid = (SELECT id FROM memory_terms WHERE term = 'zanzibar');
     DELETE FROM memory_terms WHERE term = 'zanzibar'`,
    `UPDATE memory_df SET df = df + 3`,
    `INSERT INTO memory_df (term, df) VALUES (99999, 1)`,
    `DELETE FROM memory_df`,
    `UPDATE memory_index_state SET value = 0 WHERE key IN ('rows', 'words', 'postings')`,
    `DELETE FROM memory_index_state WHERE key = 'postings'`,
  ]
  for (const damage of damages) {
    const db = await searchDatabase(t)
    const [first = 0, other = 0] = await store(db, 'The zanzibar trip was in May.', 'A throwaway.')
    await refreshIndex(db, memoryIndex)
    await change(db, other, 'A throwaway, edited.')
    const [waiting = 0] = await store(db, 'Plan for zanzibar next year.')
    const reader = openReader(db.path)
    assert.deepEqual(countProblems(reader, 'memory'), [])
    await db.write(({ sqlite }) => sqlite.exec(damage))
    if (!damage.includes("key = 'postings'")) assert.notDeepEqual(countProblems(reader, 'memory'), [], damage)
    await refreshIndex(db, memoryIndex)
    assert.deepEqual([await problems(db), countProblems(reader, 'memory')], [[], []], damage)
    assert.deepEqual(
      found(db, 'zanzibar').toSorted((a, b) => a - b),
      [first, waiting],
    )
    assert.equal(await refreshIndex(db, memoryIndex), 0)
    reader.close()
  }
})

test('mending goes on while others write', { timeout }, async (t) => {
  const db = await searchDatabase(t)
  const ids = await store(db, ...Array.from({ length: 600 }, (_, at) => `memory number${at} of sailing`))
  await refreshIndex(db, memoryIndex)
  await db.write(({ sqlite }) => sqlite.exec('UPDATE memory_df SET df = df + 1'))
  const mended = refreshIndex(db, memoryIndex)
  for (const id of ids.slice(0, 40)) {
    await change(db, id, `changed number${id}`)
    await store(db, `another of sailing ${id}`)
  }
  await mended
  assert.deepEqual(await problems(db), [])
  assert.equal(new Lookup(db.sqlite, memoryIndex).forms(['sail'])[0]?.df, 600)
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
