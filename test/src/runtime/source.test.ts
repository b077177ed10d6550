import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fault } from '../../../src/runtime/fault.ts'
import { needInput } from '../../../src/runtime/reply.ts'
import type { ToolSource } from '../../../src/runtime/source.ts'
import type { WireTool } from '../../../src/runtime/wire-tool.ts'
import { call, codeOf, gate, owner, readTool, replyOf, serve, settle, textOf } from './fixture.ts'

function foreign() {
  const schema = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    $defs: { a: { $anchor: 'x' } },
    allOf: [{}],
  }
  const definition = (name: string): WireTool => ({ name, description: name, inputSchema: schema })
  const state = { epoch: 1, names: ['echo', 'ask', 'fail'], lists: 0, open: gate() }
  const source: ToolSource = {
    id: 'ext',
    get epoch() {
      return state.epoch
    },
    list() {
      state.lists++
      return state.names.map(definition)
    },
    effect: (name) => (name === 'echo' ? 'read' : 'write'),
    async call(name, params) {
      if (name === 'slow') await state.open.promise
      if (name === 'ask') return needInput({ q: { method: 'elicitation/create', params: {} } }, 's')
      if (name === 'fail') return fault('UNAVAILABLE', 'down', { retryAfterMs: 1000 })
      return { content: [{ type: 'text', text: `${name} ${JSON.stringify(params)}` }] }
    },
  }
  return { state, schema, catalog: serve([readTool('own')], {}, { source }) }
}

test('foreign schemas are passed on word for word, beside our own tools', { timeout: 5000 }, async () => {
  const { catalog, schema } = foreign()
  const echo = catalog.listTools('shop', owner).find((tool) => tool.name === 'echo')
  assert.deepEqual(echo?.inputSchema, schema)
  assert.equal(echo?.annotations?.readOnlyHint, true)
  assert.deepEqual(catalog.counts(), { core: 1, external: 3, total: 4 })
  assert.equal(textOf(await call(catalog, 'echo', { any: [1] })), 'echo {"any":[1]}')
  assert.equal((await call(catalog, 'ask', {}, { elicit: { supported: true } })).kind, 'input-required')
  assert.equal(codeOf(await call(catalog, 'ask')), 'ELICITATION_UNSUPPORTED')
  assert.equal(codeOf(await call(catalog, 'fail')), 'UNAVAILABLE')
})

test(
  'the list is asked once per epoch and access level, and replaced whole when the epoch moves',
  { timeout: 5000 },
  async () => {
    const { catalog, state } = foreign()
    const reader = { ...owner, id: 'r', scopes: new Set(['shop:read']) }
    for (let count = 0; count < 5; count++) {
      catalog.server('shop')?.toolsListJson(owner)
      await call(catalog, 'echo')
      assert.deepEqual(
        catalog.listTools('shop', reader).map((tool) => tool.name),
        ['crow_own', 'echo'],
      )
    }
    assert.equal(state.lists, 2)
    const before = catalog.revision
    state.names = ['echo', 'slow']
    assert.equal((await call(catalog, 'slow')).kind, 'unknown-tool')
    state.epoch++
    assert.notEqual(catalog.revision, before)
    assert.deepEqual(
      catalog.listTools('shop', owner).map((tool) => tool.name),
      ['crow_own', 'echo', 'slow'],
    )
    const inFlight = call(catalog, 'slow')
    await settle()
    state.names = []
    state.epoch++
    assert.equal((await call(catalog, 'slow')).kind, 'unknown-tool')
    state.open.resolve()
    assert.equal(replyOf(await inFlight).isError, undefined)
  },
)
