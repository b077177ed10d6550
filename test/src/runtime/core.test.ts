// `core` in one process: what it shows, what its three tools say, and that every call is the inner tool's.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compileCatalog, type CatalogOptions } from '../../../src/runtime/catalog.ts'
import { createCore, type ActivationStore, type CoreOptions } from '../../../src/runtime/core/core.ts'
import { renderPrompt } from '../../../src/runtime/prompt.ts'
import { readResource } from '../../../src/runtime/read.ts'
import { defineServer } from '../../../src/runtime/server.ts'
import { surface } from '../../fixtures/surface/index.ts'
import { call, codeOf, owner, readTool, textOf } from './fixture.ts'

const timeout = 20_000

const notes = defineServer({
  id: 'notes',
  summary: 'Notes',
  tools: [readTool('look'), readTool('memory_stats', { handle: () => 'of notes' })],
  resources: [
    { uri: 'note://1', name: 'one', description: 'One.', mimeType: 'text/plain', read: () => ({ text: '1' }) },
  ],
  prompts: [
    { name: 'jot', description: 'Jot.', render: () => [{ role: 'user', content: { type: 'text', text: 'jot' } }] },
  ],
})

function coreOf(more: Partial<CoreOptions> = {}, options: CatalogOptions = {}) {
  const { catalog, greet } = createCore(compileCatalog([...surface, notes], options), {
    defaultServer: 'memory',
    ...more,
  })
  const core = catalog.server('core')
  assert.ok(core !== undefined)
  return {
    catalog,
    core,
    greet,
    names: () => core.listTools(owner).map(({ name }) => name),
    ask: async (tool: string, params: unknown = {}) => await call(catalog, tool, params, { server: 'core' }),
    say: async (tool: string, server?: string) =>
      textOf(await call(catalog, `crow_${tool}`, server === undefined ? {} : { server }, { server: 'core' })),
  }
}

test('it begins with the default server and three tools, and is in no list of servers', { timeout }, () => {
  const { catalog, core, names } = coreOf()
  assert.equal(names().length, 24 + 3)
  assert.deepEqual(names().slice(0, 3), ['crow_activate_server', 'crow_deactivate_server', 'crow_server_status'])
  assert.equal(core.toolsListJson(owner), JSON.stringify(core.listTools(owner)))
  assert.ok(catalog.servers.every(({ id }) => id !== 'core'))
  assert.equal(catalog.counts().total, 140)
  assert.throws(() => createCore(catalog, { defaultServer: 'memory' }), /"core".*taken/)
  assert.throws(() => coreOf({ defaultServer: 'nothing' }), RangeError)
})

test('activating adds at the end, deactivating takes away, and each says the count', { timeout }, async () => {
  const { core, names, say } = coreOf()
  const before = names()
  const revision = core.revision
  assert.equal(await say('activate_server', 'projects'), 'projects is active: 23 tools more, 50 in all.')
  assert.deepEqual(names().slice(0, before.length), before)
  assert.equal(names().length, 50)
  assert.notEqual(core.revision, revision)
  for (const name of ['Crow-Projects', ' crow_research', '/research'])
    assert.equal(await say('activate_server', name), 'projects is active already: 23 tools.')
  assert.equal(await say('deactivate_server', 'projects'), 'projects is no longer active: 23 tools fewer, 27 in all.')
  assert.deepEqual(names(), before)
  assert.equal(core.revision, revision)
  assert.equal(await say('deactivate_server', 'projects'), 'projects is not active.')
})

test('the default server stays, and an unknown name is answered with the names there are', { timeout }, async () => {
  const { ask, names } = coreOf()
  const kept = await ask('crow_deactivate_server', { server: 'memory' })
  assert.equal(codeOf(kept), 'CONFLICT')
  assert.match(textOf(kept), /memory is the default server and stays active/)
  const unknown = await ask('crow_activate_server', { server: 'projetcs' })
  assert.equal(codeOf(unknown), 'NOT_FOUND')
  assert.match(textOf(unknown), /"projetcs"\. Did you mean projects\?.*Servers: memory, projects, blog, .*notes\./s)
  assert.equal(names().length, 27)
})

test('status tells of every server how many tools it has and whether they are shown', { timeout }, async () => {
  const { say } = coreOf({ defaultServer: 'blog' })
  await say('activate_server', 'media')
  const lines = (await say('server_status')).split('\n')
  assert.match(lines.find((line) => line.startsWith('blog')) ?? '', /^blog 23 active, default - /)
  assert.match(lines.find((line) => line.startsWith('media')) ?? '', /^media 17 active - /)
  assert.match(lines.find((line) => line.startsWith('memory')) ?? '', /^memory 24 - /)
  assert.equal(lines.at(-1), '43 tools in all')
})

test('a call is the inner tool, recorded once under its own server; one not shown is named', { timeout }, async () => {
  const seen: string[] = []
  const { ask, say } = coreOf(
    {},
    {
      observers: [{ id: 'seen', onEnd: ({ server, tool, outcome }) => void seen.push(`${server} ${tool} ${outcome}`) }],
    },
  )
  const hidden = await ask('crow_create_project', { name: 'x' })
  assert.ok(hidden.kind === 'unknown-tool')
  assert.match(hidden.message, /crow_create_project\. crow_activate_server with server "projects" shows it\.$/)
  await say('activate_server', 'projects')
  await ask('crow_create_project', { name: 'x' })
  assert.equal(codeOf(await ask('crow_create_project', {})), 'MISSING_REQUIRED_FIELD')
  assert.deepEqual(seen, [
    'core crow_create_project unknown-tool',
    'core activate_server ok',
    'projects create_project ok',
    'projects create_project fault',
  ])
})

test('a name that two servers use means the one that was active first, and is listed once', { timeout }, async () => {
  const { ask, names, say } = coreOf({ defaultServer: 'notes' })
  await say('activate_server', 'memory')
  assert.equal(names().filter((name) => name === 'crow_memory_stats').length, 1)
  assert.equal(textOf(await ask('crow_memory_stats')), 'of notes')
})

test('resources and prompts are those of active servers, and all changes are told', { timeout }, async (t) => {
  const { catalog, say } = coreOf()
  const told: string[] = []
  t.after(catalog.bus.on(({ kind }) => void told.push(kind)))
  const prompt = async () =>
    (await renderPrompt(catalog, { caller: owner, server: 'core', name: 'jot', args: {} })).kind
  const resource = async () => (await readResource(catalog, { caller: owner, server: 'core', uri: 'note://1' })).kind
  assert.deepEqual([await prompt(), await resource()], ['unknown-prompt', 'unknown-resource'])
  await say('activate_server', 'notes')
  assert.deepEqual([await prompt(), await resource()], ['messages', 'contents'])
  assert.deepEqual(told.splice(0), ['tools', 'prompts', 'resources'])
  await say('activate_server', 'notes')
  assert.deepEqual(told, [])
})

test('what a client had active is active again when it says its name, the first one only', { timeout }, async () => {
  const kept: unknown[] = []
  const store: ActivationStore = {
    recall: (client) => (client === 'desk' ? ['storage', 'gone', 'memory'] : ['media']),
    keep: async (...change) => void kept.push(change),
  }
  const { greet, names, say } = coreOf({ store })
  await say('activate_server', 'blog')
  assert.deepEqual(kept, [], 'nobody has said a name')
  greet('desk')
  greet('other')
  assert.equal(names().length, 27 + 23 + 8)
  await say('deactivate_server', 'storage')
  await say('activate_server', 'consulting')
  assert.deepEqual(kept, [
    ['desk', 'storage', false],
    ['desk', 'consulting', true],
  ])
})
