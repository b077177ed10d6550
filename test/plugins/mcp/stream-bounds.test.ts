// Streams that stay open: how many there may be, what they may watch, and that they end when their token does.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { wireOf } from '../../../plugins/mcp/index.ts'
import { at, call, modern, open, openSession, rpc } from '../../fixtures/rpc.ts'
import { startApp } from '../../fixtures/running-app.ts'
import { until } from '../../fixtures/until.ts'
import { wireServer } from '../../fixtures/wire-server.ts'

const TIMEOUT = { timeout: 30_000 }
const PATH = '/wire/mcp'

async function start(t: TestContext, env: Record<string, string> = {}) {
  const wire = wireServer()
  const running = await startApp(env, { servers: [wire.definition] })
  t.after(() => running.close())
  return { wire, running }
}

const uris = (count: number) => Array.from({ length: count }, (_, index) => `wire://${index}`)

const isMethod = (method: string) => (message: unknown) => at(message, 'method') === method

test('one more stream than the bound is refused with 503, and a closed one makes room', TIMEOUT, async (t) => {
  const { running } = await start(t, { CROW_SSE_MAX: '2' })
  const sessions = [await openSession(running, { path: PATH }), await openSession(running, { path: PATH })]
  const first = await open(running, { method: 'GET', path: PATH, headers: sessions[0]?.headers ?? {} })
  const listen = () =>
    open(running, { path: PATH, ...modern('subscriptions/listen', { notifications: { toolsListChanged: true } }) })
  await listen()
  for (const refused of [
    await listen(),
    await open(running, { method: 'GET', path: PATH, headers: sessions[1]?.headers ?? {} }),
  ]) {
    assert.equal(refused.status, 503)
    assert.equal(refused.headers['retry-after'], '5')
  }
  first.abort()
  await until(() => wireOf(running.app).streams.open === 1)
  assert.equal((await listen()).status, 200)
})

test(
  'every kind of stream takes a place of the same budget, and nothing is leaked at its bound',
  TIMEOUT,
  async (t) => {
    const { wire, running } = await start(t, { CROW_SSE_MAX: '4' })
    const { streams, sessions } = wireOf(running.app)
    assert.equal(running.app.streams, streams)
    const other = { port: running.port, token: (await running.app.tokens.create({ name: 'other' })).secret }
    const session = await openSession(running, { path: PATH })
    const filter = { notifications: { toolsListChanged: true } }
    const progress = modern('tools/call', { name: 'wait', arguments: { name: 'x' } }, { meta: { progressToken: 1 } })
    const kinds = [
      await open(running, { method: 'GET', path: PATH, headers: session.headers }),
      await open(running, { path: PATH, ...modern('subscriptions/listen', filter) }),
      await open(running, { method: 'GET', path: '/wire/sse' }),
      await open(other, { path: PATH, ...progress }),
    ]
    for (const kind of kinds) assert.match(kind.headers['content-type'] ?? '', /^text\/event-stream/)
    await until(() => streams.open === 4)
    const before = sessions.size
    const eventsOnly = { ...progress, headers: { ...progress.headers, accept: 'text/event-stream' } }
    for (const sent of [
      { method: 'GET', path: '/memory/sse' },
      { path: PATH, ...modern('subscriptions/listen', filter) },
      { path: PATH, ...eventsOnly },
    ]) {
      const refused = await rpc(other, sent)
      assert.equal(refused.status, 503)
      assert.equal(refused.headers['retry-after'], '5')
      assert.equal(at(refused.messages[0], 'error.code'), -32000)
    }
    assert.equal(sessions.size, before)
    assert.equal(streams.open, 4)
    // Whoever takes JSON as well is answered, in one piece.
    const whole = await rpc(other, { path: PATH, ...modern('resources/read', { uri: 'wire://note' }) })
    assert.equal(whole.status, 200)
    assert.match(whole.headers['content-type'] ?? '', /^application\/json/)
    kinds[2]?.abort()
    await until(() => streams.open === 3)
    const next = await open(other, { method: 'GET', path: '/memory/sse' })
    assert.equal(next.status, 200)
    wire.release()
    for (const stream of [...kinds, next]) stream.abort()
    await until(() => streams.open === 0)
  },
)

test('five hundred streams dropped without a word leave none behind', TIMEOUT, async (t) => {
  const { running } = await start(t, { CROW_SSE_MAX: '50' })
  const { streams, sessions } = wireOf(running.app)
  const filter = { notifications: { toolsListChanged: true } }
  const kinds = [
    { method: 'GET', path: '/wire/sse' },
    { path: PATH, ...modern('subscriptions/listen', filter) },
  ]
  for (let round = 0; round < 25; round++) {
    await until(() => streams.open === 0)
    const opened = await Promise.all(Array.from({ length: 20 }, (_, index) => open(running, kinds[index % 2] ?? {})))
    for (const stream of opened) assert.equal(stream.status, 200)
    for (const stream of opened) stream.abort()
  }
  await until(() => streams.open === 0 && sessions.size === 0)
  assert.equal((await open(running, { method: 'GET', path: '/wire/sse' })).status, 200)
})

test('one caller cannot hold every stream: the last quarter is for others', TIMEOUT, async (t) => {
  const { running } = await start(t, { CROW_SSE_MAX: '4' })
  const other = { port: running.port, token: (await running.app.tokens.create({ name: 'other' })).secret }
  const listen = (to = { port: running.port, token: running.token }) =>
    open(to, { path: PATH, ...modern('subscriptions/listen', { notifications: { toolsListChanged: true } }) })
  const streams = [await listen(), await listen(), await listen()]
  assert.equal((await listen()).status, 503)
  assert.equal((await listen(other)).status, 200)
  assert.equal((await listen(other)).status, 503)
  streams[0]?.abort()
  await until(() => wireOf(running.app).streams.open === 3)
  assert.equal((await listen()).status, 200)
})

test('what a client watches is bounded in number and in length, in both eras', TIMEOUT, async (t) => {
  const { running } = await start(t)
  const session = await openSession(running, { path: PATH })
  const long = `wire://${'x'.repeat(3_000)}`
  const watch = async (uri: string) =>
    rpc(running, { path: PATH, headers: session.headers, body: call('resources/subscribe', { uri }) })
  for (const uri of uris(256)) assert.ok(at((await watch(uri)).messages.at(-1), 'result'), uri)
  for (const uri of ['wire://one-more', long])
    assert.equal(at((await watch(uri)).messages.at(-1), 'error.code'), -32602)
  assert.ok(at((await watch('wire://1')).messages.at(-1), 'result'), 'what is watched already')

  const listen = (resourceSubscriptions: readonly string[]) =>
    open(running, { path: PATH, ...modern('subscriptions/listen', { notifications: { resourceSubscriptions } }) })
  assert.equal((await listen(uris(256))).status, 200)
  for (const refused of [await listen(uris(257)), await listen([long])]) {
    assert.equal(refused.status, 400)
    assert.ok(await refused.ended)
    assert.match(refused.text(), /"code":-32602.*"id":1/)
  }
  assert.equal(wireOf(running.app).streams.open, 1)
})

test('streams end when the token that opened them does: revoked, replaced or expired', TIMEOUT, async (t) => {
  const { running } = await start(t)
  const { tokens } = running.app
  const openAs = async (token: string) => {
    const to = { port: running.port, token }
    const session = await openSession(to, { path: PATH })
    const old = await open(to, { method: 'GET', path: PATH, headers: session.headers })
    const filter = { notifications: { toolsListChanged: true } }
    return [old, await open(to, { path: PATH, ...modern('subscriptions/listen', filter) })]
  }
  const kept = await openAs(running.token)
  const revoked = await openAs((await tokens.create({ name: 'revoked' })).secret)
  const replaced = await openAs((await tokens.create({ name: 'replaced' })).secret)
  const expiresAt = running.app.clock.now() + 1_000
  const expired = await openAs((await tokens.create({ name: 'expired', expiresAt })).secret)
  await tokens.revoke('revoked')
  await tokens.rotate('replaced')
  for (const stream of [...revoked, ...replaced, ...expired]) {
    assert.equal(stream.status, 200)
    assert.equal(await stream.ended, 'broken')
  }
  await until(() => wireOf(running.app).streams.open === 2)
  running.app.bus.emit({ kind: 'tools' })
  for (const stream of kept) await stream.until(isMethod('notifications/tools/list_changed'))
})
