// Which protocol eras a gateway serves, and what a client of the other one is told so that it can fall back.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { wireOf } from '../../../plugins/mcp/index.ts'
import { at, call, initialize, modern, openSession, rpc } from '../../fixtures/rpc.ts'
import { addOwner } from '../../fixtures/owner.ts'
import { startApp } from '../../fixtures/running-app.ts'
import { wireServer } from '../../fixtures/wire-server.ts'

const TIMEOUT = { timeout: 30_000 }
const PATH = '/wire/mcp'

async function start(t: TestContext, eras: string) {
  const running = await startApp({ CROW_ERAS: eras }, { servers: [wireServer().definition] })
  t.after(() => running.close())
  return running
}

/** The probe of a client that would rather speak the newer era. */
const probe = {
  path: '/memory/mcp',
  headers: { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'server/discover' },
  body: call(
    'server/discover',
    {
      _meta: {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientInfo': { name: 'probe', version: '1' },
        'io.modelcontextprotocol/clientCapabilities': {},
      },
    },
    'd1',
  ),
}

test(
  'with both eras on, discovery answers with the newer version, the request’s id and no session',
  TIMEOUT,
  async (t) => {
    const running = await start(t, 'both')
    const answer = await rpc(running, probe)
    assert.equal(answer.status, 200)
    assert.equal(at(answer.messages[0], 'id'), 'd1')
    assert.deepEqual(at(answer.messages[0], 'result.supportedVersions'), ['2026-07-28'])
    assert.equal(answer.headers['mcp-session-id'], undefined)
    assert.equal(at(answer.messages[0], 'result.cacheScope'), 'private')
    assert.ok(Number(at(answer.messages[0], 'result.ttlMs')) >= 0)
  },
)

test('a probe that leaves its capabilities out is told which key is missing', TIMEOUT, async (t) => {
  const running = await start(t, 'both')
  const _meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' }
  const answer = await rpc(running, { ...probe, body: call('server/discover', { _meta }, 'd1') })
  assert.equal(answer.status, 400)
  assert.equal(at(answer.messages[0], 'error.code'), -32602)
  assert.equal(at(answer.messages[0], 'id'), 'd1')
  assert.match(answer.text, /clientCapabilities/)
})

test(
  'with only the older era, discovery is an unknown method on 404, and initialize then works',
  TIMEOUT,
  async (t) => {
    const running = await start(t, '2025')
    const answer = await rpc(running, probe)
    assert.equal(answer.status, 404)
    assert.equal(at(answer.messages[0], 'error.code'), -32601)
    assert.equal(at(answer.messages[0], 'id'), 'd1')
    const other = await rpc(running, { path: PATH, ...modern('tools/list', {}, { id: 'x' }) })
    assert.equal(other.status, 400)
    assert.equal(at(other.messages[0], 'error.code'), -32022)
    assert.ok(JSON.stringify(at(other.messages[0], 'error.data.supported')).includes('2025-11-25'))
    const session = await openSession(running, { path: PATH })
    assert.equal((await rpc(running, { path: PATH, headers: session.headers, body: call('tools/list') })).status, 200)
  },
)

test(
  'with only the newer era, initialize names the version, and GET and DELETE are not allowed',
  TIMEOUT,
  async (t) => {
    const running = await start(t, '2026')
    const refused = await rpc(running, { path: PATH, body: initialize() })
    assert.equal(refused.status, 400)
    assert.equal(at(refused.messages[0], 'error.code'), -32022)
    assert.deepEqual(at(refused.messages[0], 'error.data.supported'), ['2026-07-28'])
    assert.equal(at(refused.messages[0], 'id'), 'init')
    for (const method of ['GET', 'DELETE']) {
      const answer = await rpc(running, { method, path: PATH })
      assert.equal(answer.status, 405)
      assert.equal(answer.headers.allow, 'POST, OPTIONS')
      assert.equal(at(answer.messages[0], 'jsonrpc'), '2.0')
    }
    const list = await rpc(running, { path: PATH, ...modern('tools/list') })
    assert.equal(list.status, 200)
    assert.equal(wireOf(running.app).sessions.size, 0)
  },
)

test('a mount says which methods it serves, in OPTIONS and to browsers, and no other', TIMEOUT, async (t) => {
  const origin = 'http://localhost:6274'
  for (const [eras, allow, browsers] of [
    ['both', 'POST, GET, DELETE, OPTIONS', 'POST, GET, DELETE'],
    ['2025', 'POST, GET, DELETE, OPTIONS', 'POST, GET, DELETE'],
    ['2026', 'POST, OPTIONS', 'POST, GET'],
  ] as const) {
    const running = await start(t, eras)
    const options = await rpc(running, { method: 'OPTIONS', path: PATH })
    assert.deepEqual([options.status, options.headers.allow], [204, allow], eras)
    const headers = { origin, 'access-control-request-method': 'POST' }
    const preflight = await rpc(running, { method: 'OPTIONS', path: PATH, headers })
    assert.equal(preflight.headers['access-control-allow-methods'], browsers, eras)
  }
})

test('where there are sessions, a GET that names none is 400 at once and never a silent stream', TIMEOUT, async (t) => {
  for (const eras of ['both', '2025']) {
    const running = await start(t, eras)
    for (const method of ['GET', 'DELETE']) {
      const answer = await rpc(running, { method, path: PATH, headers: { accept: 'text/event-stream' } })
      assert.equal(answer.status, 400)
      assert.match(answer.headers['content-type'] ?? '', /application\/json/)
      assert.match(answer.text, /Mcp-Session-Id/)
    }
  }
})

test('each alias of a server is the same endpoint, below the public path and without it', TIMEOUT, async (t) => {
  const running = await startApp({ CROW_GATEWAY_URL: 'http://127.0.0.1:3001/base' })
  t.after(() => running.close())
  await addOwner(running.app.database)
  const texts = new Set<string>()
  for (const path of ['/base/memory/mcp', '/base/mcp', '/memory/mcp', '/mcp']) {
    const answer = await rpc(running, { path, ...modern('tools/list') })
    assert.equal(answer.status, 200, path)
    texts.add(answer.text)
  }
  assert.equal(texts.size, 1)
})
