// Tending the memory: the report, the merge and its undoing, through the runtime on a real database.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { flushAccess } from '../../../../../src/servers/memory/access.ts'
import { invoke } from '../../../../../src/runtime/invoke.ts'
import { idsIn, memoryRoom, owner, type Room } from '../room.ts'

const timeout = 30_000
const DAY_MS = 86_400_000

const facts = async (room: Room, id: number) => JSON.parse((await room.call('get_memory', { id })).text)
const liveIds = async (room: Room): Promise<number[]> =>
  idsIn(await room.call('list_memories', { limit: 100 })).toSorted((a, b) => a - b)

const SAME = 'The deploy key of the blog is rotated on the first Monday of each month by Ana herself'

async function withDuplicates(t: Parameters<typeof memoryRoom>[0]): Promise<Room> {
  const room = await memoryRoom(t)
  await room.store({ content: SAME, tags: 'ops', importance: 4 })
  await room.store({ content: `${SAME}.`, tags: 'ops, key', importance: 7, context: 'from the handbook' })
  await room.store({ content: `${SAME} twice`, importance: 2 })
  await room.store({ content: 'Bread needs salt and patience.' })
  return room
}

test('the report changes nothing, and finds what is stale and what is stored twice', { timeout }, async (t) => {
  const room = await withDuplicates(t)
  room.clock.advance(40 * DAY_MS)
  const before = await room.call('list_memories')
  const { text } = await room.call('dream')
  assert.match(text, /- "general" 4, importance 4\.5, 1 stale/)
  assert.match(text, /## Stale\n\nshown above: id 3 \(unused_days 40\)\n/)
  assert.match(text, /## Stored twice \(1\)\n\nkeep:\n<memory id="2"[^\n]*\nabsorb:\n<memory id="1"/)
  assert.match(text, /dry_run: false/)
  assert.deepEqual(await room.call('list_memories'), before)
})

test('the thresholds decide what is stale', { timeout }, async (t) => {
  const room = await withDuplicates(t)
  room.clock.advance(10 * DAY_MS)
  assert.doesNotMatch((await room.call('dream')).text, /## Stale/)
  const { text } = await room.call('dream', { stale_days: 5, low_importance_threshold: 4 })
  assert.match(text, /## Stale\n\nshown above: id 3 \([^)]*\), id 1 \(/)
})

test('merging keeps the better one with all tags, the highest importance and every access', { timeout }, async (t) => {
  const room = await withDuplicates(t)
  await room.call('get_memory', { id: 1 })
  await room.call('get_memory', { id: 1 })
  await flushAccess(room.db)
  const { text } = await room.call('dream', { dry_run: false })
  assert.match(text, /^Merged 2 memories into 1\. .* undo: 1\./)
  assert.deepEqual(await liveIds(room), [2, 4])
  const kept = await facts(room, 2)
  assert.deepEqual(
    [kept.tags, kept.importance, kept.context, kept.access_count],
    [['key', 'ops'], 7, 'from the handbook', 2],
  )
  assert.deepEqual(idsIn(await room.call('search_memories', { query: 'deploy key' })), [2])
  assert.deepEqual(room.indexProblems(), [])
})

test('one undo takes the whole merge back, once', { timeout }, async (t) => {
  const room = await withDuplicates(t)
  await room.call('dream', { dry_run: false })
  assert.match((await room.call('dream', { undo: 1 })).text, /^Taken back: 2 memories are there again\.$/)
  assert.deepEqual(await liveIds(room), [1, 2, 3, 4])
  const kept = await facts(room, 2)
  assert.deepEqual(
    [kept.content, kept.tags, kept.importance, kept.context],
    [`${SAME}.`, ['key', 'ops'], 7, 'from the handbook'],
  )
  assert.deepEqual((await facts(room, 1)).tags, ['ops'])
  assert.match((await room.call('dream', { undo: 1 })).text, /NOT_FOUND/)
  assert.equal(idsIn(await room.call('search_memories', { query: 'deploy key' })).length, 3)
  assert.deepEqual(room.indexProblems(), [])
})

test('undoing does not overwrite what was changed since', { timeout }, async (t) => {
  const room = await withDuplicates(t)
  await room.call('dream', { dry_run: false })
  await room.call('update_memory', { id: 2, importance: 10 })
  assert.match((await room.call('dream', { undo: 1 })).text, /left as they are: id 2\./)
  assert.equal((await facts(room, 2)).importance, 10)
  assert.deepEqual(await liveIds(room), [1, 2, 3, 4])
})

const meeting = (end: string): string =>
  `The weekly meeting of the whole team with the people from the office is in the big room ${end}`

test('what differs in a number, a negation or a category is shown as alike, not merged', { timeout }, async (t) => {
  const room = await memoryRoom(t)
  await room.store({ content: meeting('at 9') })
  await room.store({ content: meeting('at 10') })
  await room.store({ content: meeting('at 9'), category: 'project' })
  const report = (await room.call('dream')).text
  assert.match(report, /## Alike, not merged[\s\S]*id="1"[\s\S]*id="2"/)
  assert.doesNotMatch(report, /## Stored twice/)
  assert.equal((await room.call('dream', { dry_run: false })).text, 'Nothing was merged: no two memories say the same.')
  assert.deepEqual(await liveIds(room), [1, 2, 3])
})

test('an empty memory has nothing to tend', { timeout }, async (t) => {
  const room = await memoryRoom(t)
  assert.match((await room.call('dream')).text, /Nothing is stored yet/)
  assert.match((await room.call('dream', { dry_run: false })).text, /Nothing was merged/)
})

const journey = (gate: string): string =>
  [
    'The hikers met early and walked along the river until lunch. '.repeat(8),
    `They passed the ${gate} gate. `,
    'Then the train took everybody home in the evening again. '.repeat(8),
  ].join('')

test('the report shows what a merge would drop, however far in it stands', { timeout }, async (t) => {
  const room = await memoryRoom(t)
  await room.store({ content: journey('northern'), importance: 9 })
  await room.store({ content: journey('painted'), context: 'told by Ana' })
  await room.store({ content: `\n${journey('northern')}`, importance: 1 })
  const { text } = await room.call('dream')
  const section = /## Stored twice \(1\)[^]*?(?=\n## )/.exec(text)?.[0] ?? assert.fail(text)
  assert.match(section, /keep:\n<memory id="1"[^>]*>The hikers[^]* the northern gate/)
  assert.match(section, /absorb:\n<memory id="2">The hikers[^]* the painted gate/)
  assert.match(section, /^id 3: the same text$/m)
  assert.ok(section.length < 2500)
})

test('a report of many long duplicates stays within its budget', { timeout }, async (t) => {
  const room = await memoryRoom(t)
  for (let index = 0; index < 25; index += 1) {
    const words = Array.from({ length: 400 }, (_, at) =>
      `w${String.fromCodePoint(97 + index)}x${at % 90}`.replace(/\d/g, (digit) => 'abcdefghij'[Number(digit)] ?? ''),
    )
    await room.store({ content: `${words.join(' ')} first` })
    await room.store({ content: `${words.join(' ')} second` })
  }
  const { text } = await room.call('dream')
  assert.match(text, /## Stored twice \(25\)/)
  assert.match(text, /And 5 more that would be merged\./)
  assert.ok(text.length < 20_000, String(text.length))
})

test('the advice names only what the report shows', { timeout }, async (t) => {
  const room = await memoryRoom(t)
  await room.store({ content: SAME, importance: 9 })
  await room.store({ content: `${SAME}.`, importance: 9 })
  const { text } = await room.call('dream')
  assert.match(text, /Merge what is stored twice/)
  assert.doesNotMatch(text, /alike/i)
})

test('other work goes on while duplicates are looked for, merged and brought back', { timeout }, async (t) => {
  const room = await memoryRoom(t)
  for (let index = 0; index < 40; index += 1) {
    const mark = String.fromCodePoint(97 + (index >> 1))
    await room.store({
      content: `The note of ${mark.repeat(5)} says that ${mark.repeat(6)} is on the table with ${mark.repeat(7)}`,
    })
  }
  for (const [params, turnsMin] of [
    [{}, 20],
    [{ dry_run: false }, 25],
    [{ undo: 1 }, 7],
  ] as const) {
    let turns = 0
    let timer = setImmediate(function turn() {
      turns += 1
      timer = setImmediate(turn)
    })
    const { text, isError } = await room.call('dream', params)
    clearImmediate(timer)
    assert.equal(isError, false, text)
    assert.ok(turns >= turnsMin, `${turns} turns for ${JSON.stringify(params)}`)
  }
  assert.equal((await liveIds(room)).length, 40)
  assert.deepEqual(room.indexProblems(), [])
})

test('a search for duplicates that nobody waits for any more ends', { timeout }, async (t) => {
  const room = await memoryRoom(t)
  for (let index = 0; index < 60; index += 1) await room.store({ content: `${SAME} in place ${index}` })
  const leaving = new AbortController()
  let looked = 0
  const nearDuplicates = room.searcher.nearDuplicates.bind(room.searcher)
  Object.assign(room.searcher, {
    nearDuplicates: (...question: Parameters<typeof nearDuplicates>) => {
      looked += 1
      setImmediate(() => leaving.abort())
      return nearDuplicates(...question)
    },
  })
  await invoke(room.catalog, { caller: owner, server: 'memory', tool: 'dream', params: {}, signal: leaving.signal })
  for (let turn = 0; turn < 20; turn += 1) await nextTurn()
  assert.ok(looked < 10, String(looked))
})
