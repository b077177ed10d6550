import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fault } from '../../../src/runtime/fault.ts'
import { needInput } from '../../../src/runtime/reply.ts'
import type { ToolSource } from '../../../src/runtime/source.ts'
import type { CatalogOptions } from '../../../src/runtime/catalog.ts'
import type { ToolAnnotations, WireTool } from '../../../src/runtime/wire-tool.ts'
import { call, codeOf, gate, owner, readTool, replyOf, serve, settle, textOf } from './fixture.ts'

function foreign(options: CatalogOptions = {}) {
  const open = gate()
  const schema = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    $defs: { a: { $anchor: 'x' } },
    allOf: [{}],
  }
  const state: { annotations?: ToolAnnotations; epoch: number; names: string[]; lists: number; open: typeof open } = {
    epoch: 1,
    names: ['echo', 'ask', 'fail'],
    lists: 0,
    open,
  }
  const definition = (name: string): WireTool => {
    const { annotations } = state
    return { name, description: name, inputSchema: schema, ...(annotations && { annotations }) }
  }
  const source: ToolSource = {
    id: 'ext',
    get epoch() {
      return state.epoch
    },
    list() {
      state.lists++
      return state.names.map(definition)
    },
    effect: (name) => (name === 'echo' ? 'read' : name === 'erase' ? 'destroy' : 'write'),
    async call(name, params) {
      if (name === 'slow' || name === 'erase') await state.open.promise
      if (name === 'ask') return needInput({ q: { method: 'elicitation/create', params: {} } }, 's')
      if (name === 'fail') return fault('UNAVAILABLE', 'down', { retryAfterMs: 1000 })
      return { content: [{ type: 'text', text: `${name} ${JSON.stringify(params)}` }] }
    },
  }
  return { state, schema, catalog: serve([readTool('own')], options, { source }) }
}

test('foreign schemas are passed on word for word, beside our own tools', { timeout: 5000 }, async () => {
  const { catalog, schema } = foreign()
  const echo = catalog.listTools('shop', owner).find((tool) => tool.name === 'echo')
  assert.deepEqual(echo?.inputSchema, schema)
  assert.equal(echo?.annotations?.readOnlyHint, true)
  assert.deepEqual(catalog.counts(), { core: 1, external: 3, total: 4, routerMode: null })
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

test(
  'foreign calls are counted by what runs, and the guards of a tool outlive its list',
  { timeout: 5000 },
  async () => {
    const { catalog, state } = foreign()
    state.names = ['slow', 'erase']
    state.epoch++
    const running = call(catalog, 'slow')
    await settle()
    assert.equal(catalog.stats().active, 1)
    state.names = []
    state.epoch++
    assert.equal((await call(catalog, 'slow')).kind, 'unknown-tool')
    assert.equal(catalog.stats().active, 1)
    state.names = ['slow']
    state.epoch++
    const again = call(catalog, 'slow')
    await settle()
    assert.equal(catalog.stats().active, 2)
    state.open.resolve()
    await Promise.all([running, again])
    assert.equal(catalog.stats().active, 0)
  },
)

test('what destroys runs one at a time, also when the list is replaced meanwhile', { timeout: 5000 }, async () => {
  const { catalog, state } = foreign({ confirm: 'off' })
  state.names = ['erase']
  state.epoch++
  const first = call(catalog, 'erase')
  await settle()
  state.epoch++
  const second = call(catalog, 'erase')
  await settle()
  const { active, waiting, locks } = catalog.stats()
  assert.deepEqual({ active, waiting, locks }, { active: 1, waiting: 1, locks: 1 })
  state.open.resolve()
  await Promise.all([first, second])
  assert.equal(catalog.stats().locks, 0)
})

test('names that come and go leave no guards behind', { timeout: 5000 }, async () => {
  const { catalog, state } = foreign()
  for (let round = 0; round < 20; round++) {
    state.names = [`tool_${round}`]
    state.epoch++
    await call(catalog, `tool_${round}`)
  }
  const listed = catalog.server('shop')?.guards().length
  assert.equal(listed, 2)
})

test('what a foreign tool says of its own effect is not passed on', { timeout: 5000 }, () => {
  const { catalog, state } = foreign()
  state.annotations = { title: 'Ask', readOnlyHint: true, destructiveHint: false, openWorldHint: false }
  state.epoch++
  const ask = catalog.listTools('shop', owner).find((tool) => tool.name === 'ask')
  assert.deepEqual(ask?.annotations, { ...state.annotations, readOnlyHint: false, openWorldHint: true })
})
