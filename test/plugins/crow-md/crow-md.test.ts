// GET /crow.md: the document of crow_get_context for clients that load a file, and for nobody who may not read memories.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { Caller } from '../../../src/runtime/context.ts'
import { invoke } from '../../../src/runtime/invoke.ts'
import { mayReadSections, readCrowMd } from '../../../src/servers/memory/reading.ts'
import { PLATFORMS } from '../../../src/servers/memory/render/crow-md.ts'
import { startApp } from '../../fixtures/running-app.ts'

const timeout = 60_000
const owner: Caller = { id: 'local:1', kind: 'local', scopes: 'all' }

async function start(t: TestContext) {
  const running = await startApp({ CROW_CONTEXT_WRITES: 'free', CROW_DEVICE_ID: 'desk' })
  t.after(() => running.close())
  const { app, token } = running
  const call = async (tool: string, params: object) => {
    const outcome = await invoke(app.catalog, { caller: owner, server: 'memory', tool, params })
    const block = outcome.kind === 'reply' ? outcome.reply.content[0] : undefined
    return block?.type === 'text' ? block.text : ''
  }
  const get = async (query = '', headers: Record<string, string> = {}) =>
    await app.inject({ url: `/crow.md${query}`, headers: { authorization: `Bearer ${token}`, ...headers } })
  return { app, call, get }
}

test('it is what crow_get_context says, for every platform and scope', { timeout }, async (t) => {
  const { call, get } = await start(t)
  await call('store_memory', { content: 'Ana likes chamomile', category: 'preference', importance: 9 })
  for (const scope of [{ device_id: 'desk' }, { device_id: 'phone' }, { project_id: 7 }])
    await call('add_context_section', {
      section_key: 'identity',
      section_title: JSON.stringify(scope),
      content: 'x',
      ...scope,
    })
  for (const platform of PLATFORMS)
    assert.equal((await get(`?platform=${platform}`)).body, await call('get_context', { platform }))
  const asked = {
    '?device=phone&dynamic=false': { device_id: 'phone', include_dynamic: false },
    '?project=7': { project_id: 7 },
  }
  for (const [query, params] of Object.entries(asked))
    assert.equal((await get(query)).body, await call('get_context', params))
  assert.equal((await get('?platform=&device=&project=&dynamic=')).body, await call('get_context', {}))
})

test(
  'a client that says where it works is told the sections for there, like everywhere else',
  { timeout },
  async (t) => {
    const { call, get } = await start(t)
    for (const scope of [{ device_id: 'phone' }, { project_id: 7 }])
      await call('add_context_section', {
        section_key: 'identity',
        section_title: JSON.stringify(scope),
        content: 'x',
        ...scope,
      })
    const phone = await call('get_context', { device_id: 'phone' })
    const project = await call('get_context', { project_id: 7 })
    assert.notEqual(phone, project)
    const there = await get('', { 'crow-device': '=?base64?cGhvbmU=?=' })
    assert.equal(there.body, phone)
    assert.match(String(there.headers['vary']), /Crow-Device, Crow-Project/)
    assert.equal((await get('', { 'crow-project': '7' })).body, project)
    assert.equal((await get('?device=phone', { 'crow-device': 'desk' })).body, phone)
    const refused = await get('', { 'crow-project': '0' })
    assert.deepEqual([refused.statusCode, refused.json().code], [400, 'REQUEST_INVALID'])
  },
)

test('the same state gives the same bytes, and is not sent twice', { timeout }, async (t) => {
  const { call, get } = await start(t)
  const first = await get()
  assert.equal(first.headers['content-type'], 'text/markdown; charset=utf-8')
  assert.equal(first.headers['cache-control'], 'private, no-cache')
  const etag = String(first.headers['etag'])
  assert.equal((await get()).headers['etag'], etag)
  for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
    const answer = await get('', { 'if-none-match': known })
    assert.deepEqual([answer.statusCode, answer.body, answer.headers['etag']], [304, '', etag])
  }
  await call('update_context_section', { section_key: 'identity', content: 'zeppelin' })
  const changed = await get('', { 'if-none-match': etag })
  assert.equal(changed.statusCode, 200)
  assert.notEqual(changed.headers['etag'], etag)
})

test('a wish that is none is refused in one sentence', { timeout }, async (t) => {
  const { get } = await start(t)
  for (const query of [
    '?platform=fax',
    '?project=0',
    '?project=x',
    '?dynamic=maybe',
    '?device=%20x',
    '?plattform=claude',
  ]) {
    const answer = await get(query)
    assert.deepEqual([answer.statusCode, answer.json().code], [400, 'VALIDATION_FAILED'], query)
  }
})

test('without memory:read it is closed, and says with which scope to come back', { timeout }, async (t) => {
  const { app, get } = await start(t)
  const as = async (name: string, scopes: string[]) => {
    const { secret } = await app.tokens.create({ name, scopes })
    return await get('', { authorization: `Bearer ${secret}` })
  }
  const refused = await as('shop', ['shop'])
  assert.deepEqual([refused.statusCode, refused.json().code], [403, 'SCOPE_INSUFFICIENT'])
  assert.match(
    String(refused.headers['www-authenticate']),
    /error="insufficient_scope".*scope="memory:read".*\/crow\.md"/,
  )
  assert.doesNotMatch(refused.body, /Identity/)
  assert.equal((await as('reader', ['memory:read'])).statusCode, 200)
  const document = await app.inject('/.well-known/oauth-protected-resource/crow.md')
  assert.equal(document.statusCode, 200)
  assert.deepEqual(document.json().scopes_supported, ['memory', 'memory:read'])
})

test('other instances never read it, whatever they hold', { timeout }, async (t) => {
  const { app } = await start(t)
  for (const scopes of ['all', new Set(['memory', 'memory:read'])] as const) {
    const caller: Caller = { id: 'peer:1', kind: 'peer', scopes }
    assert.equal(mayReadSections(caller), false)
    const answer = await readCrowMd(app.catalog, { caller, platform: 'generic', dynamic: true })
    assert.ok(typeof answer !== 'string' && answer.code === 'FORBIDDEN')
  }
})

test('reading it is a row in the trail', { timeout }, async (t) => {
  const { app, get } = await start(t)
  await get()
  await app.audit.flush()
  const rows = app.database.sqlite.prepare("SELECT server, outcome FROM audit WHERE tool = 'resource /crow.md'").all()
  assert.deepEqual(rows, [{ server: 'memory', outcome: 'ok' }])
})
