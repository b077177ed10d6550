// How a page of hits says how many there are.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findMemories } from '../../../../../src/servers/memory/queries/memories.ts'
import { renderHits } from '../../../../../src/servers/memory/render/hits.ts'
import { memoryRoom } from '../room.ts'

test('a total that may not be all is shown as "at least"', { timeout: 20_000 }, async (t) => {
  const room = await memoryRoom(t)
  const memories = findMemories(room.db, [await room.store({ content: 'a zebra' })])
  const page = { hits: [{ id: 1, score: 1 }], total: 160, legs: ['words'] as const }
  assert.match(renderHits({ memories, page: { ...page, complete: false } }, 'zebra'), /^Found at least 160 memories /)
  assert.match(renderHits({ memories, page: { ...page, complete: true } }, 'zebra'), /^Found 160 memories /)
})
