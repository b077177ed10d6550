import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { GatewayError } from '../../../src/errors.ts'
import { memoryIndex } from '../../../src/search/memory-index.ts'
import { openSearcher } from '../../../src/search/searcher.ts'
import type { Searcher, SearcherOptions } from '../../../src/search/searcher.ts'
import { RANKED_MAX } from '../../../src/search/spec.ts'
import type { RowFilter } from '../../../src/search/spec.ts'
import type { Database } from '../../../src/db/client.ts'
import { change, searchDatabase, softDelete, store } from './rows.ts'

const timeout = 60_000

function open(t: TestContext, db: Database, options: Partial<SearcherOptions> = {}): Searcher {
  const searcher = openSearcher({ db, indexes: [memoryIndex], ...options })
  t.after(() => searcher.close())
  return searcher
}

async function pages(
  searcher: Searcher,
  text: string,
  limit: number,
  filters: readonly RowFilter[] = [],
): Promise<number[]> {
  const ids: number[] = []
  let cursor: string | undefined
  for (let page = 0; page < 100; page++) {
    const found = await searcher.search(memoryIndex, {
      text,
      limit,
      filters,
      ...(cursor === undefined ? {} : { cursor }),
    })
    ids.push(...found.hits.map((hit) => hit.id))
    if (found.next === undefined) return ids
    cursor = found.next
  }
  throw new Error('the pages never end')
}

test(
  'the worker answers as this thread does, and sees every write that was committed before',
  { timeout },
  async (t) => {
    const db = await searchDatabase(t)
    const worker = open(t, db, { thread: 'worker' })
    const inline = open(t, db, { thread: 'inline' })
    for (let i = 0; i < 20; i++) {
      const [id] = await store(db, { content: `sailing trip number ${i}`, at: i })
      const { hits } = await worker.search(memoryIndex, { text: 'sailing' })
      assert.equal(hits[0]?.id, id)
      assert.deepEqual(hits, (await inline.search(memoryIndex, { text: 'sailing' })).hits)
    }
    assert.deepEqual(
      await worker.nearDuplicates(memoryIndex, { text: 'sailing trip number 7' }),
      await inline.nearDuplicates(memoryIndex, { text: 'sailing trip number 7' }),
    )
  },
)

test('a small index is searched in this thread and a large one in the worker', { timeout }, async (t) => {
  const db = await searchDatabase(t)
  const nowhere = pathToFileURL(join(tmpdir(), 'no-such-worker.ts'))
  const warnings: string[] = []
  const searcher = open(t, db, { workerUrl: nowhere, warn: (message) => warnings.push(message) })
  await store(db, 'a small index')
  assert.equal((await searcher.search(memoryIndex, { text: 'small' })).total, 1)
  await store(db, ...Array.from({ length: 1000 }, (_, i) => `row ${i}`))
  await assert.rejects(searcher.search(memoryIndex, { text: 'small' }), { code: 'SEARCH_FAILED', kind: 'unavailable' })
  assert.ok(warnings.length > 0)
})

test('what costs much is asked of the worker, however few the rows are', { timeout }, async (t) => {
  const db = await searchDatabase(t)
  const nowhere = pathToFileURL(join(tmpdir(), 'no-such-worker.ts'))
  const searcher = open(t, db, { workerUrl: nowhere })
  const lost = { code: 'SEARCH_FAILED', kind: 'unavailable' }
  const long = 'small words '.repeat(20)
  await store(db, 'a small index')
  assert.equal((await searcher.search(memoryIndex, { text: long })).total, 1)
  await assert.rejects(searcher.nearDuplicates(memoryIndex, { text: 'a small index' }, 'background'), lost)
  await store(db, ...Array.from({ length: 10 }, () => 'common '.repeat(2500)))
  assert.equal((await searcher.search(memoryIndex, { text: 'small' })).total, 1)
  await assert.rejects(searcher.search(memoryIndex, { text: long }), lost)
  await assert.rejects(searcher.nearDuplicates(memoryIndex, { text: long.repeat(20) }), lost)
  await store(db, ...Array.from({ length: 20 }, () => 'common '.repeat(10_000)))
  await assert.rejects(searcher.search(memoryIndex, { text: 'small' }), lost)
})

test('pages continue where the last one ended, also when memories are stored in between', { timeout }, async (t) => {
  const db = await searchDatabase(t)
  const stored = await store(
    db,
    ...Array.from({ length: 25 }, (_, i) => ({ content: `note ${'filler '.repeat(i)}`, at: i })),
  )
  const searcher = open(t, db)
  const ids = await pages(searcher, 'note', 7)
  assert.equal(new Set(ids).size, 25)
  assert.deepEqual(
    ids.toSorted((a, b) => a - b),
    stored,
  )

  const first = await searcher.search(memoryIndex, { text: 'note', limit: 7 })
  await store(db, 'note')
  const { hits } = await searcher.search(memoryIndex, { text: 'note', limit: 7, cursor: first.next ?? '' })
  assert.deepEqual(hits[0]?.id, ids[7])
})

test('the last page has no cursor and the total is exact', { timeout }, async (t) => {
  const db = await searchDatabase(t)
  await store(db, 'one note', 'two notes', 'nothing')
  const page = await open(t, db).search(memoryIndex, { text: 'note', limit: 2 })
  assert.deepEqual([page.total, page.next, page.legs], [2, undefined, ['words']])
})

test('a cursor of another question, or a damaged one, is refused', { timeout }, async (t) => {
  const db = await searchDatabase(t)
  await store(db, 'note a', 'note b', 'note c')
  const searcher = open(t, db)
  const { next = '' } = await searcher.search(memoryIndex, { text: 'note', limit: 1 })
  for (const [text, cursor] of [
    ['other', next],
    ['note', `${next}x`],
    ['note', '%%'],
    ['note', ''],
  ] as const) {
    await assert.rejects(
      searcher.search(memoryIndex, { text, cursor }),
      { code: 'CURSOR_INVALID', kind: 'invalid' },
      cursor,
    )
  }
})

test('limits are bounded at both ends', { timeout }, async (t) => {
  const db = await searchDatabase(t)
  await store(db, ...Array.from({ length: 120 }, (_, i) => `note ${i}`))
  const searcher = open(t, db)
  const sizes = [-5, 0, 0.5, 1.9, 1e9, Number.NaN].map(
    async (limit) => (await searcher.search(memoryIndex, { text: 'note', limit })).hits.length,
  )
  assert.deepEqual(await Promise.all(sizes), [1, 1, 1, 1, 100, 10])
})

test('more searches than may wait are refused at once, the others are answered', { timeout }, async (t) => {
  const db = await searchDatabase(t)
  await store(db, 'note')
  const searcher = open(t, db, { thread: 'worker' })
  const asked = Array.from({ length: 300 }, () => searcher.search(memoryIndex, { text: 'note' }))
  const settled = await Promise.allSettled(asked)
  const refused = settled.filter((one) => one.status === 'rejected').map((one): unknown => one.reason)
  assert.equal(refused.length, 300 - 256)
  assert.ok(refused.every((reason) => reason instanceof GatewayError && reason.code === 'SEARCH_BUSY'))
})

test('a worker that dies is started again and its questions are asked once more', { timeout }, async (t) => {
  const db = await searchDatabase(t)
  await store(db, 'note')
  const folder = mkdtempSync(join(tmpdir(), 'crow-worker-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const marker = join(folder, 'died')
  const worker = join(folder, 'dying-worker.mjs')
  const real = new URL('../../../src/search/worker.ts', import.meta.url)
  writeFileSync(
    worker,
    `import { existsSync, writeFileSync } from 'node:fs'
     if (!existsSync(${JSON.stringify(marker)})) { writeFileSync(${JSON.stringify(marker)}, ''); process.exit(3) }
     await import(${JSON.stringify(real.href)})`,
  )
  const warnings: string[] = []
  const searcher = open(t, db, {
    thread: 'worker',
    workerUrl: pathToFileURL(worker),
    warn: (message) => warnings.push(message),
  })
  assert.equal((await searcher.search(memoryIndex, { text: 'note' })).total, 1)
  assert.equal(warnings.length, 1)
})

test('after close nothing is searched, and what was waiting is told so', { timeout }, async (t) => {
  const db = await searchDatabase(t)
  await store(db, 'note')
  const searcher = openSearcher({ db, indexes: [memoryIndex], thread: 'worker' })
  const waiting = searcher.search(memoryIndex, { text: 'note' })
  await Promise.all([assert.rejects(waiting, { code: 'SEARCH_CLOSED' }), searcher.close()])
  await assert.rejects(searcher.search(memoryIndex, { text: 'note' }), { code: 'SEARCH_CLOSED' })
})

test('the worker runs from a bundle as it runs from sources', { timeout }, async (t) => {
  const db = await searchDatabase(t)
  const [id] = await store(db, 'bundled note')
  // Inside the project, so that the bundle finds the native modules.
  const folder = mkdtempSync(join(import.meta.dirname, '../../../node_modules/.crow-bundle-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  await build({
    entryPoints: { 'search-worker': new URL('../../../src/search/worker.ts', import.meta.url).pathname },
    outdir: folder,
    bundle: true,
    format: 'esm',
    platform: 'node',
    external: ['better-sqlite3', 'sqlite-vec'],
    logLevel: 'silent',
  })
  const searcher = open(t, db, { thread: 'worker', workerUrl: pathToFileURL(join(folder, 'search-worker.js')) })
  assert.equal((await searcher.search(memoryIndex, { text: 'bundled' })).hits[0]?.id, id)
})

test('no more rows are ranked than the bound, and deeper pages do not exist', { timeout }, async (t) => {
  const db = await searchDatabase(t)
  await store(db, ...Array.from({ length: RANKED_MAX + 50 }, () => 'note'))
  const ids = await pages(open(t, db), 'note', 100)
  assert.equal(ids.length, RANKED_MAX)
})

test(
  'searches and near-duplicates go on, right at every moment, while memories are stored, changed and deleted',
  { timeout },
  async (t) => {
    const db = await searchDatabase(t)
    const searcher = open(t, db, { thread: 'worker' })
    const alive = new Map<number, string>()
    for (const letter of 'abcdefghijklmnopqrstuvwxyz') {
      const words = Array.from({ length: 5 }, (_, i) => `${letter}quark item ${i} shared`)
      const ids = await store(db, ...words)
      for (const [i, id] of ids.entries()) alive.set(id, words[i] ?? '')
      const [first = 0, second = 0] = ids
      await softDelete(db, first)
      alive.delete(first)
      await change(db, second, `${letter}plank shared`)
      alive.set(second, `${letter}plank shared`)
      const [topic, changed, shared] = await Promise.all(
        [`${letter}quark`, `${letter}plank`, 'shared'].map((text) =>
          searcher.search(memoryIndex, { text, limit: 100 }),
        ),
      )
      assert.equal(topic?.total, 3)
      assert.deepEqual(
        changed?.hits.map((hit) => hit.id),
        [second],
      )
      assert.equal(shared?.total, Math.min(RANKED_MAX, alive.size))
      assert.ok(shared?.hits.every((hit) => alive.has(hit.id)))
    }
  },
)

const row = (i: number) => ({ content: `zebra ${i}`, category: i % 2 === 0 ? 'process' : 'person', at: i })

test('what was not looked at is not counted as if it were: a total says whether it is all', { timeout }, async (t) => {
  const db = await searchDatabase(t)
  await store(db, ...Array.from({ length: 3400 }, (_, i) => row(i)), 'gnu one', 'gnu two')
  const searcher = open(t, db, { thread: 'inline' })
  const process = [{ sql: 'r.category = ?', params: ['process'] }]
  const broad = await searcher.search(memoryIndex, { text: 'zebra', filters: process })
  assert.deepEqual([broad.total, broad.complete], [RANKED_MAX, false])
  assert.equal(new Set(await pages(searcher, 'zebra', 100, process)).size, RANKED_MAX)
  const all = await searcher.search(memoryIndex, { text: 'zebra' })
  assert.deepEqual([all.total, all.complete], [RANKED_MAX, false])
  const rare = await searcher.search(memoryIndex, { text: 'gnu' })
  assert.deepEqual([rare.total, rare.complete], [2, true])
  // Common words are not looked for beyond the rows that have a rarer one.
  const mixed = await searcher.search(memoryIndex, { text: 'gnu zebra' })
  assert.equal(mixed.complete, false)
})

test(
  'a filter that lets through few of very many rows is still answered to the last of them',
  { timeout },
  async (t) => {
    const db = await searchDatabase(t)
    const rows = Array.from({ length: 6000 }, (_, i) => ({ content: `zebra ${i}`, importance: i < 20 ? 9 : 5, at: i }))
    await store(db, ...rows, ...Array.from({ length: 1600 }, (_, i) => ({ content: `other ${i}`, importance: 9 })))
    const filters = [{ sql: 'r.importance >= ?', params: [9] }]
    const page = await open(t, db, { thread: 'inline' }).search(memoryIndex, { text: 'zebra', filters, limit: 100 })
    assert.deepEqual([page.hits.length, page.total, page.complete], [20, 20, true])
  },
)
