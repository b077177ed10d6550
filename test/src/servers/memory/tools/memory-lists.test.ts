// Lists of memories: limits, and cursors that neither lose nor repeat.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { flushAccess } from '../../../../../src/servers/memory/access.ts'
import { idsIn, memoryRoom, walk } from '../room.ts'

const timeout = 30_000

test('a limit is an integer between its bounds', { timeout }, async (t) => {
  const room = await memoryRoom(t)
  const lists = [
    'search_memories',
    'recall_by_context',
    'list_memories',
    'list_schedules',
    'check_notifications',
    'list_context_sections',
  ]
  const needed: Record<string, object> = { search_memories: { query: 'x' }, recall_by_context: { context: 'x' } }
  for (const tool of lists) {
    for (const limit of [-1, 0, 101, 2.5, '5x']) {
      const answer = await room.call(tool, { ...needed[tool], limit })
      assert.match(answer.text, /VALIDATION_ERROR[\s\S]*limit/, `${tool} ${limit}`)
    }
    for (const limit of [1, 100, null]) assert.equal((await room.call(tool, { ...needed[tool], limit })).isError, false)
  }
  assert.match((await room.call('deep_recall', { topic: 'x', per_source_limit: 21 })).text, /VALIDATION_ERROR/)
})

test('a cursor walks a list in each order to its end, without loss or repeat', { timeout }, async (t) => {
  const room = await memoryRoom(t)
  for (let index = 0; index < 25; index += 1) {
    await room.store({ content: `fact ${index}`, importance: 1 + (index % 3) })
    if (index % 4 === 0) room.clock.advance(1000)
  }
  for (const id of [3, 7, 11]) {
    room.clock.advance(1000)
    await room.call('get_memory', { id })
  }
  await flushAccess(room.db)
  const expected = Array.from({ length: 25 }, (_, index) => index + 1)
  for (const sort_by of ['recent', 'importance', 'accessed']) {
    const ids = await walk(room, 'list_memories', { sort_by, limit: 4 })
    assert.deepEqual(
      ids.toSorted((left, right) => left - right),
      expected,
      sort_by,
    )
  }
  assert.deepEqual((await walk(room, 'list_memories', { sort_by: 'accessed', limit: 2 })).slice(0, 3), [11, 7, 3])
  assert.deepEqual((await walk(room, 'list_memories', { limit: 7 })).slice(0, 2), [25, 24])
})

test('rows that come in during a walk neither repeat nor hide others', { timeout }, async (t) => {
  const room = await memoryRoom(t)
  for (let index = 0; index < 9; index += 1) await room.store({ content: `fact ${index}` })
  const first = await room.call('list_memories', { limit: 4 })
  await room.store({ content: 'late' })
  await room.confirm('delete_memory', { id: 9 })
  const cursor = /next_cursor: (\S+)/.exec(first.text)?.[1]
  const second = await room.call('list_memories', { limit: 10, cursor })
  assert.deepEqual([...idsIn(first), ...idsIn(second)], [9, 8, 7, 6, 5, 4, 3, 2, 1])
})

test('a cursor of other filters is refused', { timeout }, async (t) => {
  const room = await memoryRoom(t)
  for (let index = 0; index < 3; index += 1) await room.store({ content: `fact ${index}` })
  const cursor = /next_cursor: (\S+)/.exec((await room.call('list_memories', { limit: 1 })).text)?.[1]
  for (const params of [{ cursor, category: 'other' }, { cursor: 'nonsense' }]) {
    assert.match((await room.call('list_memories', params)).text, /VALIDATION_ERROR[\s\S]*cursor/)
  }
  assert.match((await room.call('search_memories', { query: 'fact', cursor: 'nonsense' })).text, /VALIDATION_ERROR/)
})
