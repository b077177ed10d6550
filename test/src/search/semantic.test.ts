import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { Database } from '../../../src/db/client.ts'
import { memoryIndex } from '../../../src/search/memory-index.ts'
import { createNearestFinder, loadVectorExtension } from '../../../src/search/nearest.ts'
import { openSearcher } from '../../../src/search/searcher.ts'
import { createSemanticLeg } from '../../../src/search/semantic.ts'
import { embed, endpoint } from './embeddings-endpoint.ts'
import { searchDatabase, softDelete, store } from './rows.ts'

const timeout = 60_000

function leg(t: TestContext, db: Database, url: string, warn?: (message: string) => void, restMs = 0) {
  const config = { provider: 'openai', url: `${url}/v1/`, model: 'test-model', apiKey: 'key', timeoutMs: 2000 } as const
  const semantic = createSemanticLeg({
    db,
    spec: memoryIndex,
    config,
    now: () => 1,
    restMs,
    ...(warn === undefined ? {} : { warn }),
  })
  t.after(() => semantic.close())
  return semantic
}

function vectors(db: Database): unknown[] {
  return db.sqlite
    .prepare('SELECT memory_id, model, dim, created_at FROM memory_embeddings ORDER BY memory_id')
    .raw()
    .all()
}

test('rows are embedded in the background, in batches, tagged with model and dimension', { timeout }, async (t) => {
  const db = await searchDatabase(t)
  const server = await endpoint(t)
  const semantic = leg(t, db, server.url)
  const ids = await store(db, ...Array.from({ length: 70 }, (_, i) => `boat ${i}`))
  semantic.enqueue(ids)
  await semantic.idle()
  assert.equal(vectors(db).length, 70)
  assert.deepEqual(vectors(db)[0], [ids[0], 'test-model', 5, 1])
  assert.deepEqual(
    server.requests.map((request) => request.texts.length),
    [32, 32, 6],
  )
})

test('a memory that changed or was deleted while its text was away gets no vector', { timeout }, async (t) => {
  const db = await searchDatabase(t)
  const server = await endpoint(t)
  const semantic = leg(t, db, server.url)
  const [changed = 0, deleted = 0, kept = 0] = await store(db, 'boat a', 'boat b', 'boat c')
  let release: (() => void) | undefined
  server.fault = (response) => {
    server.fault = undefined
    release = () => response.end(JSON.stringify({ data: [0, 1, 2].map((index) => ({ index, embedding: [1, 0] })) }))
    void db
      .write(({ sqlite }) => sqlite.prepare('UPDATE memories SET content = ? WHERE id = ?').run('dog', changed))
      .then(() => softDelete(db, deleted))
      .then(() => release?.())
  }
  const report = await semantic.embed([changed, deleted, kept])
  assert.equal(report.failed, 0)
  assert.deepEqual(
    vectors(db).map((row) => (Array.isArray(row) ? row[0] : row)),
    [kept],
  )
})

test(
  'a search finds by meaning what shares no word, fused with what shares words, filters before the cut',
  { timeout },
  async (t) => {
    const db = await searchDatabase(t)
    const server = await endpoint(t)
    const semantic = leg(t, db, server.url)
    const searcher = openSearcher({ db, indexes: [memoryIndex], semantic })
    t.after(() => searcher.close())
    const [yacht = 0, sail = 0, dog = 0] = await store(
      db,
      { content: 'The yacht lies in Split', category: 'person' },
      { content: 'We sail on Sunday', category: 'project' },
      { content: 'The puppy is called Rex', category: 'person' },
    )
    await semantic.embed([yacht, sail, dog])
    const page = await searcher.search(memoryIndex, { text: 'boat on Sunday' })
    assert.deepEqual(page.legs, ['words', 'semantic'])
    assert.equal(page.hits[0]?.id, sail)
    assert.ok(page.hits.some((hit) => hit.id === yacht))
    const filtered = await searcher.search(memoryIndex, {
      text: 'boat',
      filters: [{ sql: 'r.category = ?', params: ['person'] }],
    })
    assert.equal(filtered.hits[0]?.id, yacht)
    assert.ok(filtered.hits.every((hit) => hit.id !== sail))
    assert.deepEqual((await searcher.search(memoryIndex, { text: 'boat', legs: 'lexical' })).legs, ['words'])
  },
)

test(
  'when the endpoint fails, words still answer and every such reply says so; the log says it once',
  { timeout },
  async (t) => {
    const db = await searchDatabase(t)
    const server = await endpoint(t)
    const warnings: string[] = []
    const semantic = leg(t, db, server.url, (message) => warnings.push(message))
    const searcher = openSearcher({ db, indexes: [memoryIndex], semantic })
    t.after(() => searcher.close())
    const [id] = await store(db, 'boat')
    server.fault = (response) => response.writeHead(500).end()
    const first = await searcher.search(memoryIndex, { text: 'boat' })
    const second = await searcher.search(memoryIndex, { text: 'boat' })
    assert.deepEqual([first.hits[0]?.id, first.legs], [id, ['words']])
    for (const { notice } of [first, second]) assert.match(notice ?? '', /words only/)
    assert.equal(warnings.length, 1)
    server.fault = undefined
    assert.deepEqual((await searcher.search(memoryIndex, { text: 'boat' })).legs, ['words', 'semantic'])
    server.fault = (response) => response.writeHead(500).end()
    assert.match((await searcher.search(memoryIndex, { text: 'boat' })).notice ?? '', /words only/)
  },
)

test('a failing endpoint is reported by a regeneration, row by row', { timeout }, async (t) => {
  const db = await searchDatabase(t)
  const server = await endpoint(t)
  const semantic = leg(t, db, server.url)
  const ids = await store(db, 'boat', 'dog')
  server.fault = (response) => response.writeHead(500).end()
  const report = await semantic.embed(ids)
  assert.deepEqual([report.total, report.embedded, report.failed], [2, 0, 2])
  assert.match(report.reason ?? '', /500/)
})

test('the extension and the loop find the same rows in the same order', { timeout }, async (t) => {
  const db = await searchDatabase(t)
  const server = await endpoint(t)
  const semantic = leg(t, db, server.url)
  const ids = await store(db, 'boat', 'dog', 'boat and dog', 'bread', 'deploy the boat', 'nothing')
  await semantic.embed(ids)
  const query = { model: 'test-model', vector: Float32Array.from(embed('boat dog')), filters: [], limit: 4 }
  const loop = createNearestFinder(db.sqlite, memoryIndex, false).find(query)
  assert.equal(loop[0]?.id, ids[2])
  assert.equal(loop.length, 4)
  if (await loadVectorExtension(db.sqlite, () => undefined)) {
    const extension = createNearestFinder(db.sqlite, memoryIndex, true).find(query)
    assert.deepEqual(
      extension.map((row) => [row.id, row.similarity.toFixed(4)]),
      loop.map((row) => [row.id, row.similarity.toFixed(4)]),
    )
  }
  assert.deepEqual(createNearestFinder(db.sqlite, memoryIndex, false).find({ ...query, model: 'another' }), [])
})

test('a refused batch is not sent for ever, and what comes later is embedded', { timeout }, async (t) => {
  const db = await searchDatabase(t)
  const server = await endpoint(t)
  const semantic = leg(t, db, server.url)
  const [refused = 0, fine = 0] = await store(db, 'boat', 'dog')
  server.fault = (response) => response.writeHead(413).end()
  semantic.enqueue([refused])
  await semantic.idle()
  server.fault = undefined
  semantic.enqueue([fine])
  await semantic.idle()
  assert.deepEqual(vectors(db), [[fine, 'test-model', 5, 1]])
  assert.equal(server.requests.length, 2)
})

test('closing ends the background at once', { timeout }, async (t) => {
  const db = await searchDatabase(t)
  const server = await endpoint(t)
  server.fault = () => undefined
  const semantic = leg(t, db, server.url)
  semantic.enqueue(await store(db, 'boat'))
  await semantic.close()
  assert.deepEqual(vectors(db), [])
})

test('a search never waits long for an endpoint that hangs, and not again while it rests', { timeout }, async (t) => {
  const db = await searchDatabase(t)
  const server = await endpoint(t)
  const config = { provider: 'openai', url: server.url, model: 'test-model', timeoutMs: 30_000 } as const
  const semantic = createSemanticLeg({ db, spec: memoryIndex, config, now: () => 1 })
  t.after(() => semantic.close())
  const searcher = openSearcher({ db, indexes: [memoryIndex], semantic })
  t.after(() => searcher.close())
  const [id] = await store(db, 'boat')
  server.fault = () => undefined
  const began = performance.now()
  for (let turn = 0; turn < 5; turn++) {
    assert.equal((await searcher.search(memoryIndex, { text: 'boat' })).hits[0]?.id, id)
  }
  assert.ok(performance.now() - began < 10_000)
  assert.equal(server.requests.length, 1)
})

test('what an ended process or another model left is embedded by a refresh', { timeout }, async (t) => {
  const db = await searchDatabase(t)
  const server = await endpoint(t)
  const semantic = leg(t, db, server.url)
  const searcher = openSearcher({ db, indexes: [memoryIndex], semantic })
  t.after(() => searcher.close())
  const [one = 0, other = 0, gone = 0] = await store(db, 'boat', 'dog', 'bread')
  await semantic.embed([one])
  await db.write(() => db.sqlite.prepare("UPDATE memory_embeddings SET model = 'older'").run())
  await softDelete(db, gone)
  await searcher.refresh()
  await semantic.idle()
  assert.deepEqual(vectors(db), [
    [one, 'test-model', 5, 1],
    [other, 'test-model', 5, 1],
  ])
})

test('a search says what is wrong with the embeddings service, not that it is unreachable', { timeout }, async (t) => {
  const db = await searchDatabase(t)
  const server = await endpoint(t)
  const semantic = leg(t, db, server.url)
  const searcher = openSearcher({ db, indexes: [memoryIndex], semantic })
  t.after(() => searcher.close())
  server.fault = (response) => response.end('<html>')
  assert.match((await searcher.search(memoryIndex, { text: 'boat' })).notice ?? '', /not with JSON.*words only/)
  server.fault = (response) => response.writeHead(401).end()
  assert.match((await searcher.search(memoryIndex, { text: 'boat' })).notice ?? '', /401.*API key.*words only/)
})

test(
  'a model replaced behind its name by one of another size embeds what the old one embedded, and the two are never compared',
  { timeout },
  async (t) => {
    const db = await searchDatabase(t)
    const server = await endpoint(t)
    const old = leg(t, db, server.url)
    const [boat = 0, dog = 0] = await store(db, 'The yacht lies in Split', 'The puppy is called Rex')
    await old.embed([boat, dog])
    await old.close()
    server.padding = 3
    const semantic = leg(t, db, server.url)
    const searcher = openSearcher({ db, indexes: [memoryIndex], semantic })
    t.after(() => searcher.close())
    const before = await searcher.search(memoryIndex, { text: 'boats' })
    assert.deepEqual([before.hits, before.legs], [[], ['words', 'semantic']])
    await semantic.idle()
    assert.deepEqual(vectors(db), [
      [boat, 'test-model', 8, 1],
      [dog, 'test-model', 8, 1],
    ])
    const after = await searcher.search(memoryIndex, { text: 'boats' })
    assert.deepEqual(
      after.hits.map((hit) => hit.id),
      [boat],
    )
  },
)

test('two models that take turns behind one name do not embed everything for ever', { timeout }, async (t) => {
  const db = await searchDatabase(t)
  const server = await endpoint(t)
  const semantic = leg(t, db, server.url)
  await semantic.embed(await store(db, 'boat', 'dog'))
  for (let turn = 0; turn < 6; turn++) {
    server.padding = turn % 2 === 0 ? 3 : 0
    await semantic.embedQuery('boat')
    await semantic.idle()
  }
  // One for the rows, six for the queries, and one when the second size was first seen.
  assert.equal(server.requests.length, 8)
})

test('all rows embedded anew by hand after a change of size are embedded once', { timeout }, async (t) => {
  const db = await searchDatabase(t)
  const server = await endpoint(t)
  const ids = await store(db, ...Array.from({ length: 70 }, (_, i) => `boat ${i}`))
  const old = leg(t, db, server.url)
  await old.embed(ids)
  await old.close()
  server.requests.length = 0
  server.padding = 3
  const semantic = leg(t, db, server.url)
  await semantic.embed(ids.slice(0, 64))
  assert.equal(server.requests.length, 2)
  await semantic.idle()
  // What the hand left follows in the background.
  assert.deepEqual(server.requests.at(-1)?.texts.length, 6)
  assert.equal(vectors(db).length, 70)
})
