// Clients that run in a browser: the preflight passes without a token, and script can read what it needs.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { at, initialize, open, openSession, rpc } from '../../fixtures/rpc.ts'
import { startApp, type RunningApp } from '../../fixtures/running-app.ts'

const TIMEOUT = { timeout: 20_000 }
const PATH = '/memory/mcp'
const ORIGIN = 'http://localhost:6274'
const SENT = 'authorization,content-type,mcp-protocol-version,mcp-session-id,mcp-method,mcp-name,last-event-id'

let running: RunningApp
before(async () => {
  running = await startApp()
})
after(() => running.close())

const words = (header: unknown): Set<string> =>
  new Set(
    String(header)
      .toLowerCase()
      .split(/\s*,\s*/),
  )

test('a preflight is 204 without a token and allows every header and method of the protocol', TIMEOUT, async () => {
  for (const asked of ['POST', 'GET', 'DELETE']) {
    const answer = await rpc(running, {
      method: 'OPTIONS',
      path: PATH,
      headers: {
        authorization: undefined,
        origin: ORIGIN,
        'access-control-request-method': asked,
        'access-control-request-headers': SENT,
      },
    })
    assert.equal(answer.status, 204)
    assert.equal(answer.headers['access-control-allow-origin'], ORIGIN)
    for (const name of SENT.split(',')) assert.ok(words(answer.headers['access-control-allow-headers']).has(name), name)
    for (const method of ['post', 'get', 'delete'])
      assert.ok(words(answer.headers['access-control-allow-methods']).has(method))
    assert.equal(answer.headers['access-control-allow-credentials'], undefined)
  }
})

test('the answers themselves expose the session id and the challenge, streams included', TIMEOUT, async () => {
  const opened = await rpc(running, { path: PATH, headers: { origin: ORIGIN }, body: initialize() })
  const refused = await rpc(running, {
    path: PATH,
    headers: { origin: ORIGIN, authorization: undefined },
    body: initialize(),
  })
  assert.equal(refused.status, 401)
  const session = await openSession(running, { path: PATH })
  const stream = await open(running, { method: 'GET', path: PATH, headers: { ...session.headers, origin: ORIGIN } })
  for (const answer of [opened, refused, stream]) {
    assert.equal(answer.headers['access-control-allow-origin'], ORIGIN)
    const exposed = words(answer.headers['access-control-expose-headers'])
    assert.ok(exposed.has('mcp-session-id') && exposed.has('www-authenticate'))
  }
  assert.ok(opened.headers['mcp-session-id'])
})

test('a foreign origin is refused and gets no allow header', TIMEOUT, async () => {
  const answer = await rpc(running, { path: PATH, headers: { origin: 'http://evil.example' }, body: initialize() })
  assert.equal(answer.status, 403)
  assert.equal(at(answer.messages[0], 'jsonrpc'), '2.0')
  assert.equal(answer.headers['access-control-allow-origin'], undefined)
})

test('OPTIONS that is no preflight names the methods', TIMEOUT, async () => {
  const answer = await rpc(running, { method: 'OPTIONS', path: PATH })
  assert.equal(answer.status, 204)
  assert.equal(answer.headers.allow, 'POST, GET, DELETE, OPTIONS')
})
