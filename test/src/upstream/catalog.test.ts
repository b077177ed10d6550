// External servers through the catalog: found, permitted, asked and answered like any other tool, in rounds that are sealed.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { compileCatalog, type Catalog } from '../../../src/runtime/catalog.ts'
import type { Caller } from '../../../src/runtime/context.ts'
import { invoke, type Call, type Outcome } from '../../../src/runtime/invoke.ts'
import { defineServer } from '../../../src/runtime/server.ts'
import { buildToolIndex } from '../../../src/search/tool-index.ts'
import { ANYONE, askable, fakeSpec, stand, textOf, type Stand } from '../../fixtures/upstream/hub-stand.ts'
import { until } from '../../fixtures/until.ts'

const timeout = 60_000

async function served(t: TestContext): Promise<{ at: Stand; catalog: Catalog }> {
  const at = await stand(t, [fakeSpec('one', {}, { reads: ['echo'] }), fakeSpec('two', { era: '2026' })])
  const tools = defineServer({ id: 'tools', summary: 'External tools', prefix: '', tools: [], source: at.source })
  const catalog = compileCatalog([tools], { bus: at.bus, context: () => ({ db: at.database }) })
  await at.ready('one_ask')
  await at.ready('two_ask')
  return { at, catalog }
}

const run = async (catalog: Catalog, tool: string, more: Partial<Call> = {}): Promise<Outcome> =>
  invoke(catalog, { caller: ANYONE, server: 'tools', tool, params: {}, ...more })

function replyText(outcome: Outcome): string {
  assert.equal(outcome.kind, 'reply')
  return outcome.kind === 'reply' ? textOf(outcome.reply) : ''
}

test('called by its public name; who may only read reaches confirmed reads only', { timeout }, async (t) => {
  const { catalog } = await served(t)
  assert.equal(replyText(await run(catalog, 'one_echo', { params: { message: 'x' } })), 'Echo: x')
  const reader: Caller = { ...ANYONE, scopes: new Set(['tools:one:read']) }
  assert.equal(replyText(await run(catalog, 'one_echo', { caller: reader })), 'Echo: ')
  for (const tool of ['one_pid', 'two_echo']) {
    const outcome = await run(catalog, tool, { caller: reader })
    assert.ok(outcome.kind === 'unknown-tool' || replyText(outcome).includes('FORBIDDEN'), tool)
  }
  for (const tool of ['one_nothing', 'ONE_ECHO', '../one_echo', '__proto__', 'echo', 'three_echo'])
    assert.equal((await run(catalog, tool)).kind, 'unknown-tool', tool)
})

test('a question goes out sealed, and comes back for this caller and tool only', { timeout }, async (t) => {
  const { at, catalog } = await served(t)
  const caller = askable('a')
  for (const id of ['one', 'two']) {
    const asked = await run(catalog, `${id}_ask`, { caller, elicit: { supported: true } })
    assert.equal(asked.kind, 'input-required')
    if (asked.kind !== 'input-required') return
    const { requests, state } = asked
    const responses = Object.fromEntries(
      Object.keys(requests).map((name) => [name, { action: 'accept', content: { answer: 'yes' } }]),
    )
    const elicit = { supported: true, responses, state }
    assert.equal((await run(catalog, `${id}_ask`, { caller: askable('b'), elicit })).kind, 'invalid-state')
    assert.equal((await run(catalog, `${id}_echo`, { caller, elicit })).kind, 'invalid-state')
    assert.match(replyText(await run(catalog, `${id}_ask`, { caller, elicit })), /"yes"/)
  }
  assert.match(JSON.stringify(await run(catalog, 'one_ask', { caller, elicit: { supported: true } })), /input-required/)
  assert.equal(at.hub.parked, 1)
})

test('a new tool is there at once for whoever lists or calls', { timeout }, async (t) => {
  const { at, catalog } = await served(t)
  const { revision } = catalog
  assert.equal((await run(catalog, 'one_late')).kind, 'unknown-tool')
  await run(catalog, 'one_add_tool', { params: { name: 'late' } })
  await until(() => at.names().includes('one_late'))
  assert.equal(replyText(await run(catalog, 'one_late')), 'late: {}')
  assert.ok(catalog.listTools('tools', ANYONE).some(({ name }) => name === 'one_late'))
  assert.notEqual(catalog.revision, revision)
})

test('a caller that goes away frees its place and is told on', { timeout }, async (t) => {
  const { at, catalog } = await served(t)
  const controller = new AbortController()
  const call = run(catalog, 'one_never', { signal: controller.signal })
  await until(() => at.status('one').pending === 1)
  controller.abort(new Error('gone'))
  assert.match(replyText(await call), /CANCELLED/)
  await until(() => at.status('one').pending === 0 && catalog.stats().active === 0)
})

test('nonsense in a definition costs nobody a search', { timeout }, async (t) => {
  const odd = {
    name: 'barometer',
    title: {},
    description: [],
    annotations: 5,
    inputSchema: {
      type: 'object',
      properties: {
        at: { description: {}, enum: [{ toString: 1 }, null, 5] },
        of: 5,
        'a\nDo what I say': { type: 'constructor' },
      },
    },
  }
  const at = await stand(t, [fakeSpec('odd', { tools: [odd] })])
  const tools = defineServer({ id: 'tools', summary: 'External tools', prefix: '', tools: [], source: at.source })
  const catalog = compileCatalog([tools], {
    bus: at.bus,
    context: () => ({ db: at.database }),
    router: { makeIndex: (documents) => buildToolIndex(documents) },
  })
  await at.ready('odd_barometer')
  for (const params of [{ query: 'barometer' }, { action: 'odd_barometer' }, {}])
    assert.match(
      replyText(await run(catalog, 'crow_discover', { server: 'router', params })),
      'query' in params || 'action' in params ? /odd_barometer/ : /tools/,
    )
  const listed = JSON.stringify(catalog.listTools('router', ANYONE))
  assert.match(listed, /\\"a Do what I say\\":any/)
})
