// The stream of 2024-11-05: when it ends and what ends with it, how many there may be, and what it says to proxies.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { wireOf } from '../../../plugins/mcp/index.ts'
import { at, call, initialize, open, openSession, rpc } from '../../fixtures/rpc.ts'
import { isAnswer, openSse, startSse, until } from '../../fixtures/sse.ts'
import { start, waiting } from './sse-app.ts'

const TIMEOUT = { timeout: 60_000 }
const PATH = '/wire/sse'
const ORIGIN = 'http://localhost:6274'

test('a session ends with its stream, calls in it included, and its messages are then 404', TIMEOUT, async (t) => {
  const { running, wire, sessions } = await start(t)
  const client = await startSse(running, PATH)
  await client.post(call('tools/call', waiting('left'), 1))
  await wire.started()
  client.stream.abort()
  await until(() => wire.aborted.includes('left'))
  await until(() => sessions.size === 0)
  assert.equal((await client.post(call('ping'))).status, 404)
})

test('a session counts like any other: per caller and in total, the idle ones give way', TIMEOUT, async (t) => {
  const { running, sessions } = await start(t, { CROW_SESSION_MAX_PER_CALLER: '2' })
  const first = await openSse(running, PATH)
  const streamable = await openSession(running, { path: '/wire/mcp' })
  const third = await openSse(running, PATH)
  assert.equal(sessions.size, 2)
  const gone = await rpc(running, { path: '/wire/mcp', headers: streamable.headers, body: call('tools/list') })
  assert.equal(gone.status, 404)
  const fourth = await openSse(running, PATH)
  assert.equal(await first.stream.ended, 'ended')
  assert.equal(sessions.size, 2)
  for (const client of [third, fourth]) assert.equal((await client.post(call('ping'))).status, 202)
})

test('a revoked token ends the stream and the session', TIMEOUT, async (t) => {
  const { running, sessions } = await start(t)
  const { secret } = await running.app.tokens.create({ name: 'short' })
  const client = await startSse({ port: running.port, token: secret }, PATH)
  await running.app.tokens.revoke('short')
  assert.equal(await client.stream.ended, 'broken')
  await until(() => sessions.size === 0)
})

test('the stream says what a stream has to say to proxies and browsers, packed for nobody', TIMEOUT, async (t) => {
  const { running, wire } = await start(t)
  const headers = { origin: ORIGIN, 'accept-encoding': 'gzip, br' }
  const session = await openSession(running, { path: '/wire/mcp' })
  const json = await rpc(running, {
    path: '/wire/mcp',
    headers: { ...session.headers, ...headers },
    body: call('tools/list'),
  })
  const progress = call('tools/call', waiting('p', { _meta: { progressToken: 1 } }), 'p')
  const streams = [
    (await openSse(running, PATH, headers)).stream,
    await open(running, { method: 'GET', path: '/wire/mcp', headers: { ...session.headers, ...headers } }),
    await open(running, { path: '/wire/mcp', headers: { ...session.headers, ...headers }, body: progress }),
  ]
  for (const stream of streams) {
    assert.equal(stream.status, 200)
    assert.equal(stream.headers['x-accel-buffering'], 'no')
    assert.equal(stream.headers['cache-control'], 'no-cache, no-transform')
    assert.equal(stream.headers['content-encoding'], undefined)
    assert.match(stream.headers['content-type'] ?? '', /^text\/event-stream/)
    assert.ok(stream.headers['x-request-id'])
    for (const name of [
      'access-control-allow-origin',
      'access-control-expose-headers',
      'vary',
      'x-content-type-options',
      'content-security-policy',
      'referrer-policy',
      'cross-origin-resource-policy',
    ])
      assert.equal(stream.headers[name], json.headers[name], name)
    assert.equal(stream.headers['access-control-allow-origin'], ORIGIN)
    assert.equal(stream.headers.vary, 'Origin')
  }
  for (const stream of streams.slice(1)) assert.equal(stream.headers['mcp-session-id'], session.id)
  assert.ok(json.headers['x-request-id'])
  await streams[2]?.until((message) => at(message, 'method') === 'notifications/progress')
  wire.release()
  await streams[2]?.until(isAnswer('p'))
})

test('an error after the first event is an event of the stream, which ends cleanly', TIMEOUT, async (t) => {
  const { running, wire, lines } = await start(t)
  const session = await openSession(running, { path: '/wire/mcp' })
  const params = waiting('cut', { _meta: { progressToken: 1 } })
  const stream = await open(running, {
    path: '/wire/mcp',
    headers: session.headers,
    body: call('tools/call', params, 'late'),
  })
  await stream.until((message) => at(message, 'method') === 'notifications/progress')
  wireOf(running.app).calls.cut()
  const answer = await stream.until(isAnswer('late'))
  assert.equal(at(answer, 'error.data.code'), 'SHUTTING_DOWN')
  assert.equal(await stream.ended, 'ended')
  assert.deepEqual(wire.aborted, ['cut'])
  assert.ok(!lines.some((line) => /mcp:|headers/i.test(line)), lines.join(''))
})

test('a client that takes no events, or posts to the stream, is told so', TIMEOUT, async (t) => {
  const { running, sessions } = await start(t)
  const json = await rpc(running, { method: 'GET', path: PATH, headers: { accept: 'application/json' } })
  assert.equal(json.status, 406)
  const post = await rpc(running, { path: PATH, body: initialize() })
  assert.equal(post.status, 405)
  assert.equal(post.headers.allow, 'GET, OPTIONS')
  for (const [path, allow] of [
    [PATH, 'GET, OPTIONS'],
    ['/wire/messages', 'POST, OPTIONS'],
  ] as const) {
    const options = await rpc(running, { method: 'OPTIONS', path })
    assert.deepEqual([options.status, options.headers.allow], [204, allow])
  }
  for (const [method, path] of [
    ['GET', PATH],
    ['POST', '/wire/messages'],
  ] as const) {
    const locked = await rpc(running, { method, path, headers: { authorization: undefined }, body: undefined })
    assert.equal(locked.status, 401)
    const evil = await rpc(running, { method, path, headers: { origin: 'http://evil.example' } })
    assert.equal(evil.status, 403)
  }
  assert.equal(sessions.size, 0)
})

test(
  'a client that stops reading is cut off before it holds much, and everything of it is given back',
  TIMEOUT,
  async (t) => {
    const { running, sessions, streams } = await start(t)
    const client = await startSse(running, PATH)
    client.stream.pause()
    const text = 'x'.repeat(200_000)
    for (let sent = 0; sent < 400 && sessions.size > 0; sent++)
      await client.post(call('tools/call', { name: 'echo', arguments: { text } }, sent))
    await until(() => sessions.size === 0 && streams.open === 0, 'it was cut off')
    assert.equal((await client.post(call('ping'))).status, 404)
  },
)

test('where only the newer era is served there is no such stream', TIMEOUT, async (t) => {
  const { running } = await start(t, { CROW_ERAS: '2026' })
  for (const [method, path] of [
    ['GET', '/memory/sse'],
    ['GET', '/sse'],
    ['POST', '/messages'],
  ] as const)
    assert.equal((await rpc(running, { method, path })).status, 404)
})
