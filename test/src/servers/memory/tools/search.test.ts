// Searching and recalling, through the runtime on a real database.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { defineServer } from '../../../../../src/runtime/server.ts'
import { flushAccess } from '../../../../../src/servers/memory/access.ts'
import { idsIn, memoryRoom, walk } from '../room.ts'

const timeout = 30_000

test('hyphens, colons, quotes and column names are only words', { timeout }, async (t) => {
  const room = await memoryRoom(t)
  await room.store({ content: 'Ticket POL-358 is blocked' })
  await room.store({ content: 'TODO: rotate the key; error:timeout after 9am' })
  await room.store({ content: 'see grammar::fa' })
  const found: Record<string, number> = {
    'POL-358': 1,
    'TODO: rotate': 2,
    'error:timeout': 2,
    'grammar::fa': 3,
    'content:TODO': 2,
  }
  for (const [query, id] of Object.entries(found)) {
    assert.equal(idsIn(await room.call('search_memories', { query }))[0], id, query)
  }
  const harmless = [
    '-POL',
    'state-of-the-art',
    'AMF -band',
    'rowid:1',
    'a AND',
    '"',
    'NEAR(',
    '*',
    '^',
    '{x}',
    'a OR OR',
    '(((',
    "'; --",
  ]
  for (const query of harmless) {
    assert.equal((await room.call('search_memories', { query })).isError, false, query)
    assert.equal((await room.call('recall_by_context', { context: query })).isError, false, query)
    assert.equal((await room.call('deep_recall', { topic: query })).isError, false, query)
  }
})

test('Chinese, Japanese and Korean are found by their words', { timeout }, async (t) => {
  const room = await memoryRoom(t)
  await room.store({ content: '今天讨论了部署方案' })
  await room.store({ content: '今日は成語しりとりをした' })
  await room.store({ content: '오늘 끝말잇기 게임을 했다' })
  const found = { 部署: [1], 部署方案: [1], しりとり: [2], 끝말잇기: [3] }
  for (const [query, ids] of Object.entries(found)) {
    assert.deepEqual(idsIn(await room.call('search_memories', { query })), ids, query)
  }
  assert.equal((await room.call('search_memories', { query: '天' })).isError, false)
})

test('one matching word is enough, and more matching words come first', { timeout }, async (t) => {
  const room = await memoryRoom(t)
  await room.store({ content: 'Ana keeps her bicycle in the cellar.' })
  await room.store({ content: 'The cellar floods in autumn.' })
  await room.store({ content: 'Marta paints.' })
  const ids = idsIn(await room.call('search_memories', { query: 'where is the bicycle of Ana, in which cellar?' }))
  assert.deepEqual(ids, [1, 2])
})

test('filters apply before the cut', { timeout }, async (t) => {
  const room = await memoryRoom(t)
  for (let index = 0; index < 30; index += 1)
    await room.store({ content: `garden note garden ${index}`, importance: 3 })
  await room.store({ content: 'a garden, once', category: 'rare', importance: 9, instance_id: 'phone', project_id: 4 })
  for (const filter of [{ category: 'rare' }, { min_importance: 8 }, { instance_id: 'phone' }, { project_id: 4 }]) {
    assert.deepEqual(
      idsIn(await room.call('search_memories', { query: 'garden', limit: 1, ...filter })),
      [31],
      JSON.stringify(filter),
    )
  }
  assert.deepEqual(idsIn(await room.call('recall_by_context', { context: 'garden', limit: 1, project_id: 4 })), [31])
})

test('a cursor walks all hits, each once', { timeout }, async (t) => {
  const room = await memoryRoom(t)
  for (let index = 0; index < 23; index += 1) await room.store({ content: `river stone number ${index}` })
  for (const [tool, params] of [
    ['search_memories', { query: 'river', limit: 4 }],
    ['recall_by_context', { context: 'the river and its stones', limit: 5 }],
  ] as const) {
    const ids = await walk(room, tool, params)
    assert.deepEqual(new Set(ids).size, 23, tool)
    assert.equal(ids.length, 23, tool)
  }
})

test('showing a memory counts as access, without holding up the answer', { timeout }, async (t) => {
  const room = await memoryRoom(t)
  await room.store({ content: 'the lighthouse of Hercules' })
  room.clock.advance(5000)
  await room.call('search_memories', { query: 'lighthouse' })
  await room.call('recall_by_context', { context: 'a lighthouse' })
  await room.call('deep_recall', { topic: 'lighthouse' })
  await flushAccess(room.db)
  const read = JSON.parse((await room.call('get_memory', { id: 1 })).text)
  assert.equal(read.access_count, 3)
  assert.equal(read.accessed_at, '2026-01-15T10:00Z')
  assert.equal(read.version, 1)
})

test('long content is shown around the hit, short content whole', { timeout }, async (t) => {
  const room = await memoryRoom(t)
  await room.store({
    content: `${'filler words here. '.repeat(400)}The anchor weighs 40 kg.${' more filler.'.repeat(400)}`,
  })
  await room.store({ content: 'An anchor is heavy.' })
  const { text } = await room.call('search_memories', { query: 'anchor weight' })
  assert.match(text, /The anchor weighs 40 kg\./)
  assert.match(text, /characters in full: crow_get_memory/)
  assert.match(text, />An anchor is heavy\.</)
  assert.ok(text.length < 4000)
})

test('nothing found says what to try', { timeout }, async (t) => {
  const room = await memoryRoom(t)
  assert.match(
    (await room.call('search_memories', { query: 'zeppelin' })).text,
    /^No memory found for "zeppelin"\. Try/,
  )
  assert.match((await room.call('recall_by_context', { context: 'zeppelin' })).text, /Nothing is known about this yet/)
})

test('recall leaves exercises out unless asked for them', { timeout }, async (t) => {
  const room = await memoryRoom(t)
  await room.store({ content: 'volcano exercise', source: 'maker-lab' })
  await room.store({ content: 'volcano trip' })
  assert.deepEqual(idsIn(await room.call('recall_by_context', { context: 'volcano' })), [2])
  const all = idsIn(await room.call('recall_by_context', { context: 'volcano', include_maker_lab: true }))
  assert.deepEqual(new Set(all), new Set([1, 2]))
})

test('recall uses every word of a long situation', { timeout }, async (t) => {
  const room = await memoryRoom(t)
  await room.store({ content: 'The harpsichord is tuned by Mr Klein.' })
  const context = `${'we talked about many ordinary things and more of them '.repeat(20)} and finally the harpsichord`
  assert.deepEqual(idsIn(await room.call('recall_by_context', { context })), [1])
})

test(
  'deep recall asks every store, and names those that failed, or were asked for and are absent',
  { timeout },
  async (t) => {
    const notes = defineServer({
      id: 'notes',
      summary: 'Notes',
      tools: [],
      searchables: [
        {
          id: 'research_notes',
          search: ({ text, projectId }) => [
            {
              id: 7,
              title: 'On owls',
              text: `owls ${text} ${projectId ?? 'anywhere'}`,
              score: 1,
              at: 0,
              uri: 'note://7',
            },
          ],
        },
        {
          id: 'blog_posts',
          search: () => {
            throw new Error('the shelf fell over')
          },
        },
      ],
    })
    const room = await memoryRoom(t, { servers: [notes] })
    await room.store({ content: 'Owls hunt at night.', importance: 8 })
    await room.store({ content: 'Owls sleep by day.', importance: 2 })
    const { text } = await room.call('deep_recall', { topic: 'owls', min_importance: 5 })
    assert.match(text, /^2 hits for "owls"\. Searched: memories, research_notes\. Failed: blog_posts\. Text inside/)
    assert.match(text, /<item store="memories" id="1"/)
    assert.match(
      text,
      /<item store="research_notes" id="7" title="On owls" created="1970-01-01T00:00Z" uri="note:\/\/7">/,
    )
    assert.doesNotMatch(text, /fell over/)
    const only = await room.call('deep_recall', {
      topic: 'owls',
      include_sources: ['research_sources', 'memories'],
      per_source_limit: 1,
    })
    assert.match(only.text, /^1 hit .* Searched: memories\. Not here: "research_sources"\./)
  },
)

test('the index agrees with the rows after every kind of change', { timeout }, async (t) => {
  const room = await memoryRoom(t)
  const found = async (query: string): Promise<number[]> => idsIn(await room.call('search_memories', { query }))
  const expectOnly = async (word: string | undefined): Promise<void> => {
    for (const query of ['alpha', 'beta', 'gamma'])
      assert.deepEqual(await found(query), query === word ? [1] : [], query)
    assert.deepEqual(room.indexProblems(), [])
  }
  await room.store({ content: 'old alpha' })
  await expectOnly('alpha')
  await room.call('update_memory', { id: 1, content: 'new beta', tags: 'x', context: 'c' })
  await expectOnly('beta')
  await room.call('update_memory', { id: 1, content: 'gamma', category: 'other', importance: 9 })
  await expectOnly('gamma')
  await room.confirm('delete_memory', { id: 1 })
  await expectOnly(undefined)
  await room.call('update_memory', { id: 1, restore: true })
  await expectOnly('gamma')
  await room.confirm('delete_memory', { id: 1 })
  await expectOnly(undefined)
  await room.store({ content: 'delta' })
  assert.deepEqual(await found('delta'), [2])
})
