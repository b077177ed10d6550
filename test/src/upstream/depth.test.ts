import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isShallow } from '../../../src/upstream/depth.ts'
import { fakeSpec, stand, textOf } from '../../fixtures/upstream/hub-stand.ts'

const timeout = 20_000

function nested(levels: number): object {
  let deep = {}
  for (let level = 0; level < levels; level++) deep = { a: deep }
  return deep
}

test('depth is measured without recursion', { timeout }, () => {
  assert.equal(isShallow(nested(100_000), 64), false)
  assert.equal(isShallow({ a: [{ b: {} }] }, 64), true)
  assert.equal(isShallow(nested(64), 64), true)
  assert.equal(isShallow(nested(65), 64), false)
})

test('a tool nested too deep is left out, and costs no other tool anything', { timeout }, async (t) => {
  const deep = { name: 'deep', inputSchema: { type: 'object', properties: nested(1_000) } }
  const at = await stand(t, [fakeSpec('odd', { tools: [deep], capabilities: { tools: {}, extra: nested(1_000) } })])
  await at.ready('odd_echo')
  assert.ok(!at.source.list(at.context().caller).some(({ name }) => name === 'odd_deep'))
  assert.match(textOf(await at.call('odd_echo', { message: 'hello' })), /hello/)
})

test('an answer nested too deep fails alone', { timeout }, async (t) => {
  const at = await stand(t, [fakeSpec('odd')])
  await at.ready('odd_echo')
  const given = { message: nested(600), whole: true }
  assert.match((await at.fails('odd_echo', given)).message, /nested too deep/)
  assert.match(textOf(await at.call('odd_echo', { message: 'hello' })), /hello/)
})
