// Sessions of the 2025 era: whose they are, when they end, and what a client is told about one it does not have.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { wireOf } from '../../../plugins/mcp/index.ts'
import { at, call, initialize, open, openSession, rpc } from '../../fixtures/rpc.ts'
import { startApp, type RunningApp } from '../../fixtures/running-app.ts'
import { until } from '../../fixtures/until.ts'
import { wireServer } from '../../fixtures/wire-server.ts'

const TIMEOUT = { timeout: 60_000 }
const PATH = '/wire/mcp'
const UNKNOWN = '11111111-2222-3333-4444-555555555555'

async function start(t: TestContext, env: Record<string, string> = {}) {
  const wire = wireServer()
  const running = await startApp(env, { servers: [wire.definition] })
  t.after(() => running.close())
  return { wire, running }
}

const list = (headers: Record<string, string | undefined>, id: unknown = 7) => ({
  path: PATH,
  headers,
  body: call('tools/list', undefined, id),
})

test('an unknown session is 404 for every method, and a request without one is 400', TIMEOUT, async (t) => {
  const { running } = await start(t)
  const headers = { 'mcp-session-id': UNKNOWN }
  const post = await rpc(running, list(headers))
  assert.equal(post.status, 404)
  assert.equal(at(post.messages[0], 'error.code'), -32001)
  assert.equal(at(post.messages[0], 'id'), 7)
  for (const method of ['GET', 'DELETE']) {
    const answer = await rpc(running, { method, path: PATH, headers })
    assert.equal(answer.status, 404, method)
    assert.equal(at(answer.messages[0], 'error.code'), -32001)
  }
  const none = await rpc(running, list({}))
  assert.equal(none.status, 400)
  assert.equal(at(none.messages[0], 'id'), 7)
  assert.match(none.headers['content-type'] ?? '', /application\/json/)
})

test('somebody else’s live session is as unknown as one that never was', TIMEOUT, async (t) => {
  const { running } = await start(t)
  const session = await openSession(running, { path: PATH })
  const { secret } = await running.app.tokens.create({ name: 'other' })
  const other = { port: running.port, token: secret }
  for (const sent of [
    list(session.headers),
    { method: 'GET', path: PATH, headers: session.headers },
    { method: 'DELETE', path: PATH, headers: session.headers },
  ]) {
    const answer = await rpc(other, sent)
    assert.equal(answer.status, 404)
    assert.equal(at(answer.messages[0], 'error.code'), -32001)
  }
  assert.equal((await rpc(running, list(session.headers))).status, 200)
})

test('a session of one server is unknown to another, and known to an alias of its own', TIMEOUT, async (t) => {
  const { running } = await start(t)
  const session = await openSession(running, { path: '/memory/mcp' })
  assert.equal((await rpc(running, { ...list(session.headers), path: '/mcp' })).status, 200)
  assert.equal((await rpc(running, list(session.headers))).status, 404)
})

test(
  'a bad version header is 400 before anything runs, an absent or empty one means the negotiated version',
  TIMEOUT,
  async (t) => {
    const { running } = await start(t)
    const session = await openSession(running, { path: PATH, version: '2025-06-18' })
    assert.equal(session.headers['mcp-protocol-version'], '2025-06-18')
    const withVersion = (version: string | undefined) => ({
      'mcp-session-id': session.id,
      'mcp-protocol-version': version,
    })
    for (const bad of ['not-a-version', '1900-01-01']) {
      const answer = await rpc(running, list(withVersion(bad)))
      assert.equal(answer.status, 400, bad)
      assert.match(answer.text, /2025-11-25.*2025-06-18.*2025-03-26.*2024-11-05/)
      assert.equal(at(answer.messages[0], 'id'), 7)
    }
    for (const method of ['GET', 'DELETE']) {
      const answer = await rpc(running, { method, path: PATH, headers: withVersion('1900-01-01') })
      assert.equal(answer.status, 400, method)
    }
    for (const fine of [undefined, '']) {
      const answer = await rpc(running, list(withVersion(fine)))
      assert.equal(answer.status, 200, String(fine))
      assert.ok(Array.isArray(at(answer.messages[0], 'result.tools')))
    }
  },
)

test('DELETE with a JSON content type and no body ends the session, and later requests get 404', TIMEOUT, async (t) => {
  const { running } = await start(t)
  const session = await openSession(running, { path: PATH })
  const headers = { ...session.headers, 'content-type': 'application/json' }
  assert.equal((await rpc(running, { method: 'DELETE', path: PATH, headers })).status, 200)
  assert.equal((await rpc(running, list(session.headers))).status, 404)
  assert.equal(wireOf(running.app).sessions.size, 0)
})

test('initialize with a stale session id opens a new session; inside a live one it is refused', TIMEOUT, async (t) => {
  const { running } = await start(t)
  const fresh = await rpc(running, { path: PATH, headers: { 'mcp-session-id': UNKNOWN }, body: initialize() })
  assert.equal(fresh.status, 200)
  const id = String(fresh.headers['mcp-session-id'])
  assert.notEqual(id, UNKNOWN)
  const again = await rpc(running, { path: PATH, headers: { 'mcp-session-id': id }, body: initialize() })
  assert.equal(again.status, 400)
  assert.equal(wireOf(running.app).sessions.size, 1)
})

test('a malformed initialize leaves no session behind', TIMEOUT, async (t) => {
  const { running } = await start(t)
  const answer = await rpc(running, { path: PATH, body: call('initialize', { protocolVersion: 7 }) })
  assert.equal(answer.status, 400)
  assert.equal(wireOf(running.app).sessions.size, 0)
})

test('a version nobody speaks is answered with the newest one', TIMEOUT, async (t) => {
  const { running } = await start(t)
  for (const version of ['1.0', '2026-07-28', '2099-01-01']) {
    const session = await openSession(running, { path: PATH, version })
    assert.equal(session.headers['mcp-protocol-version'], '2025-11-25')
  }
})

test('abandoned sessions are ended with their streams and timers, and the active one never is', TIMEOUT, async (t) => {
  const { running, wire } = await start(t, { CROW_SESSION_IDLE_MS: '2000', CROW_SESSION_MAX_PER_CALLER: '100' })
  const { sessions, streams } = wireOf(running.app)
  const active = await openSession(running, { path: PATH })
  await abandon(running)
  const heapBefore = heapBytes()
  const timersBefore = timers()
  const working = rpc(running, {
    path: PATH,
    headers: active.headers,
    body: call('tools/call', { name: 'wait', arguments: { name: 'long' } }, 1),
  })
  await wire.started()
  for (let client = 0; client < 500; client++) await abandon(running)
  assert.ok(sessions.size <= 100, `${sessions.size} sessions are over the bound`)
  await until(() => sessions.size === 1 && streams.open === 0, 'the abandoned sessions are gone with their streams')
  const grownMiB = (heapBytes() - heapBefore) / 2 ** 20
  assert.ok(grownMiB < 20, `the heap has grown by ${grownMiB} MiB`)
  assert.ok(timers() < timersBefore + 20, `${timers()} timers run, ${timersBefore} did before`)
  wire.release()
  assert.equal(at((await working).messages.at(-1), 'result.content.0.text'), 'done long')
  assert.equal((await rpc(running, list(active.headers))).status, 200)
})

const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length

/** What is in use after a full collection. */
function heapBytes(): number {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc()')
  return process.memoryUsage().heapUsed
}

/** Opens a session and its stream, and drops the socket without a word. */
async function abandon(running: RunningApp): Promise<void> {
  const { headers } = await openSession(running, { path: PATH })
  const stream = await open(running, { method: 'GET', path: PATH, headers })
  assert.equal(stream.status, 200)
  stream.abort()
}

test('a session is as fresh at the end of a long call as after a request', TIMEOUT, async (t) => {
  let aheadMs = 0
  const wire = wireServer()
  const clock = { now: () => Date.now() + aheadMs }
  const running = await startApp({ CROW_SESSION_IDLE_MS: '600000' }, { servers: [wire.definition], clock })
  t.after(() => running.close())
  const { sessions } = wireOf(running.app)
  for (const more of [{}, { _meta: { progressToken: 1 } }]) {
    const session = await openSession(running, { path: PATH })
    const params = { name: 'wait', arguments: { name: 'long' }, ...more }
    const working = rpc(running, { path: PATH, headers: session.headers, body: call('tools/call', params, 1) })
    await wire.started()
    aheadMs += 700_000
    wire.release()
    assert.equal((await working).status, 200)
    sessions.sweep()
    assert.equal((await rpc(running, list(session.headers))).status, 200)
  }
})

test('at the bound the session idle longest gives way, and a session at work never does', TIMEOUT, async (t) => {
  const { running, wire } = await start(t, { CROW_SESSION_MAX_PER_CALLER: '3' })
  const busy = await openSession(running, { path: PATH })
  const working = rpc(running, {
    path: PATH,
    headers: busy.headers,
    body: call('tools/call', { name: 'wait', arguments: { name: 'x' } }, 1),
  })
  await wire.started()
  const second = await openSession(running, { path: PATH })
  const third = await openSession(running, { path: PATH })
  await openSession(running, { path: PATH })
  assert.equal((await rpc(running, list(second.headers))).status, 404)
  assert.equal((await rpc(running, list(third.headers))).status, 200)
  wire.release()
  assert.equal((await working).status, 200)
})

test('when every session is at work, a new one is refused with 503 and a time to come back', TIMEOUT, async (t) => {
  const { running, wire } = await start(t, { CROW_SESSION_MAX_PER_CALLER: '1' })
  const busy = await openSession(running, { path: PATH })
  const working = rpc(running, {
    path: PATH,
    headers: busy.headers,
    body: call('tools/call', { name: 'wait', arguments: { name: 'x' } }, 1),
  })
  await wire.started()
  const refused = await rpc(running, { path: PATH, body: initialize() })
  assert.equal(refused.status, 503)
  assert.ok(Number(refused.headers['retry-after']) > 0)
  assert.equal(at(refused.messages[0], 'id'), 'init')
  wire.release()
  await working
})
