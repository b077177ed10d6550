import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bareReply, toolReply } from '../../../src/upstream/results.ts'

const timeout = 5_000

test('what is no block becomes text, and what is one stays as it came', { timeout }, () => {
  const good = [
    { type: 'text', text: 'a', extra: 1 },
    { type: 'image', data: '', mimeType: 'image/png' },
    { type: 'from a later revision', x: 1 },
  ]
  const bad = [null, 5, 'x', {}, { type: 5 }, { type: 'text', text: 5 }, { type: 'image', data: 5 }]
  const more = [{ type: 'resource', resource: null }, { type: 'resource_link', uri: 5 }, [[]]]
  for (const { content } of [
    toolReply('odd', { content: [...good, ...bad, ...more] }),
    bareReply({ content: [...good, ...bad, ...more] }),
  ]) {
    assert.deepEqual(content.slice(0, good.length), good)
    assert.deepEqual(
      content.slice(good.length),
      [...bad, ...more].map((block) => ({ type: 'text', text: JSON.stringify(block) })),
    )
  }
})

test('fields of the wrong kind are left out; a failure stays one', { timeout }, () => {
  const odd = { content: 'none', structuredContent: [1], isError: 'yes', _meta: 5, other: 1 }
  assert.deepEqual(toolReply('odd', odd), { content: [], isError: true, other: 1 })
  const good = { content: [], structuredContent: { a: 1 }, isError: false, _meta: { b: 1 } }
  assert.deepEqual(toolReply('odd', good), good)
})
