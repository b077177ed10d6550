// Tags of memories: exact, and shown so that they find themselves again.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { idsIn, memoryRoom, walk } from '../room.ts'

const timeout = 30_000

test('tags are exact: no pattern, no part of a word', { timeout }, async (t) => {
  const room = await memoryRoom(t)
  const tags = ['100%', 'my_tag', 'myXtag', 'auth', 'authentication', 'a,b', '[x]', '"q"', 'a', '100']
  for (const tag of tags) await room.store({ content: `about ${tag}`, tags: [tag] })
  for (const [index, tag] of tags.entries()) {
    assert.deepEqual(idsIn(await room.call('list_memories', { tag })), [index + 1], tag)
    assert.deepEqual(idsIn(await room.call('search_memories', { query: 'about', tag })), [index + 1], tag)
  }
  const [id] = idsIn(await room.call('list_memories', { tag: '100%' }))
  assert.match((await room.confirm('delete_memory', { id })).text, /^Deleted/)
  assert.deepEqual((await walk(room, 'list_memories', {})).length, tags.length - 1)
})

test(
  'a quoted filter means the tag that is shown so, and the one that has the quotes in it',
  { timeout },
  async (t) => {
    const room = await memoryRoom(t)
    const plain = await room.store({ content: 'about it', tags: ['a,b'] })
    assert.deepEqual(idsIn(await room.call('list_memories', { tag: '"a,b"' })), [plain])
    const quoted = await room.store({ content: 'about it', tags: ['"a,b"'] })
    assert.deepEqual(idsIn(await room.call('list_memories', { tag: '"a,b"' })), [quoted, plain])
    assert.deepEqual(idsIn(await room.call('list_memories', { tag: 'a,b' })), [plain])
    assert.deepEqual(idsIn(await room.call('list_memories', { tag: '"""a,b"""' })), [quoted])
  },
)

test('whatever a tag is, a list shows it so that the same text finds it again', { timeout }, async (t) => {
  const room = await memoryRoom(t)
  const unit = fc.constantFrom('"', ',', ' ', '&', '<', "'", '%', '\\', 'é', 'a')
  const anyTag = fc.oneof(fc.string({ unit, minLength: 1, maxLength: 8 }), fc.string({ unit: 'binary', minLength: 1 }))
  await fc.assert(
    fc.asyncProperty(anyTag, async (tag) => {
      fc.pre(tag.trim() !== '' && !tag.includes('\0'))
      const id = await room.store({ content: 'about it', tags: [tag] })
      const { text } = await room.call('list_memories', { limit: 1 })
      const shown = unescaped(/ tags="([^"]*)"/.exec(text)?.[1] ?? assert.fail(text))
      for (const filter of [tag, shown]) {
        assert.ok(idsIn(await room.call('list_memories', { tag: filter })).includes(id), JSON.stringify(filter))
        const hits = await room.call('search_memories', { query: 'about it', tag: filter, semantic: false, limit: 100 })
        assert.ok(idsIn(hits).includes(id), JSON.stringify(filter))
      }
      await room.confirm('delete_memory', { id })
    }),
    { numRuns: 60 },
  )
})

/** An attribute as whoever reads it understands it. */
function unescaped(attribute: string): string {
  const marks: Readonly<Record<string, string>> = { '&quot;': '"', '&lt;': '<', '&gt;': '>', '&amp;': '&' }
  return attribute.replaceAll(/&(?:quot|lt|gt|amp);/g, (mark) => marks[mark] ?? mark)
}

test('a comma list and an array store the same tags', { timeout }, async (t) => {
  const room = await memoryRoom(t)
  await room.store({ content: 'one', tags: 'home, "a,b", "q"' })
  await room.store({ content: 'two', tags: ['home', 'a,b', '"q"'] })
  for (const tag of ['home', 'a,b', '"q"']) assert.deepEqual(idsIn(await room.call('list_memories', { tag })), [2, 1])
})
