// What is listed of what a server has.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JsonObject } from '../../../src/lib/link.ts'
import { viewOf, type View } from '../../../src/upstream/view.ts'
import { fakeSpec } from '../../fixtures/upstream/hub-stand.ts'

const timeout = 60_000
const EMPTY = { tools: [], prompts: [], resources: [], templates: [] }
const spec = fakeSpec('one')

const toolsOf = (tools: readonly JsonObject[], reserved: readonly string[] = []): View =>
  viewOf(spec, { ...EMPTY, tools }, new Set(reserved))

test('a tool keeps every field it came with; what it must have is added', { timeout }, () => {
  const tool = { name: 'a', inputSchema: 'no', own: [1], _meta: { a: 1 } }
  assert.deepEqual(toolsOf([tool]).tools[0]?.listed, {
    name: 'one_a',
    description: '',
    inputSchema: { type: 'object' },
    own: [1],
    _meta: { a: 1 },
  })
})

test('a resource without a name is called by its address', { timeout }, () => {
  const view = viewOf(spec, { ...EMPTY, resources: [{ uri: 'memo://x' }] }, new Set())
  assert.deepEqual(view.resources, [{ uri: 'one+memo://x', name: 'memo://x' }])
})

test('names of the gateway and look-alikes are not shown, and the reason is given', { timeout }, () => {
  const view = toolsOf([{ name: 'mine' }, { name: 'Mine' }, { name: 'm\u0456ne' }, { name: 'taken' }], ['one_taken'])
  assert.equal(view.tools.length, 1)
  assert.equal(view.refused.length, 3)
})
