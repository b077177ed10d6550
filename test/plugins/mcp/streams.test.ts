// Streams: what they carry, who hears of a change, what a client that leaves means, and how they end.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { wireOf } from '../../../plugins/mcp/index.ts'
import { rpcThatLeaves } from '../../fixtures/leaving.ts'
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

const isMethod = (method: string) => (message: unknown) => at(message, 'method') === method
const isAnswer = (id: unknown) => (message: unknown) => at(message, 'id') === id && at(message, 'method') === undefined
const waiting = (name: string, more: object = {}) => ({ name: 'wait', arguments: { name }, ...more })

test(
  'progress reaches the stream of its own call, in both eras, and proxies are told not to hold it back',
  TIMEOUT,
  async (t) => {
    const { running, wire } = await start(t)
    const session = await openSession(running, { path: PATH })
    const meta = { progressToken: 'tok' }
    for (const sent of [
      { headers: session.headers, body: call('tools/call', waiting('old', { _meta: meta }), 'a') },
      modern('tools/call', waiting('new'), { id: 'a', meta }),
    ]) {
      const stream = await open(running, { path: PATH, ...sent })
      const note = await stream.until(isMethod('notifications/progress'))
      assert.deepEqual(at(note, 'params'), { progressToken: 'tok', progress: 1, total: 2, message: 'waiting' })
      assert.equal(stream.headers['x-accel-buffering'], 'no')
      assert.match(stream.headers['content-type'] ?? '', /^text\/event-stream/)
      assert.equal(stream.headers['x-content-type-options'], 'nosniff')
      wire.release()
      await stream.until(isAnswer('a'))
      assert.equal(await stream.ended, 'ended')
    }
    assert.deepEqual(wire.finished, ['old', 'new'])
  },
)

test('closing the stream of a 2026 call cancels it, on the hot path and off it', TIMEOUT, async (t) => {
  const { running, wire } = await start(t)
  const impatient = rpcThatLeaves(running, { path: PATH, ...modern('tools/call', waiting('hot')) })
  await wire.started()
  impatient.leave()
  await until(() => wire.aborted.includes('hot'))
  const streamed = await open(running, {
    path: PATH,
    ...modern('tools/call', waiting('streamed'), { meta: { progressToken: 1 } }),
  })
  await wire.started()
  streamed.abort()
  await until(() => wire.aborted.includes('streamed'))
  wire.release()
})

test(
  'a lost connection does not cancel a 2025 call; the notification does, on the hot path and off it',
  TIMEOUT,
  async (t) => {
    const { running, wire } = await start(t)
    const session = await openSession(running, { path: PATH })
    const stream = await open(running, {
      path: PATH,
      headers: session.headers,
      body: call('tools/call', waiting('kept', { _meta: { progressToken: 1 } }), 1),
    })
    await stream.until(isMethod('notifications/progress'))
    stream.abort()
    wire.release()
    await until(() => wire.finished.includes('kept'))
    assert.deepEqual(wire.aborted, [])

    const hot = rpc(running, { path: PATH, headers: session.headers, body: call('tools/call', waiting('hot'), 'h') })
    await wire.started()
    const slow = await open(running, {
      path: PATH,
      headers: session.headers,
      body: call('tools/call', waiting('slow', { _meta: { progressToken: 2 } }), 's'),
    })
    await slow.until(isMethod('notifications/progress'))
    for (const requestId of ['h', 's']) {
      const body = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } }
      assert.equal((await rpc(running, { path: PATH, headers: session.headers, body })).status, 202)
    }
    await until(() => wire.aborted.includes('hot') && wire.aborted.includes('slow'))
    const answer = await hot
    assert.equal(answer.status, 202)
    assert.equal(answer.text, '')
    assert.equal(await slow.ended, 'ended')
    assert.ok(!slow.text().includes('"id":"s"'))
  },
)

test(
  'a change is told to a 2025 stream and to a 2026 subscription, once, and only to those who asked',
  TIMEOUT,
  async (t) => {
    const { running } = await start(t)
    const session = await openSession(running, { path: PATH })
    const old = await open(running, { method: 'GET', path: PATH, headers: session.headers })
    const filter = { toolsListChanged: true, resourceSubscriptions: ['wire://note'] }
    const fresh = await open(running, {
      path: PATH,
      ...modern('subscriptions/listen', { notifications: filter }, { id: 'sub' }),
    })
    const ack = await fresh.until(isMethod('notifications/subscriptions/acknowledged'))
    assert.equal(at(ack, 'params._meta.io.modelcontextprotocol/subscriptionId'), undefined)
    assert.ok(JSON.stringify(ack).includes('"io.modelcontextprotocol/subscriptionId":"sub"'))

    running.app.bus.emit({ kind: 'tools' })
    await old.until(isMethod('notifications/tools/list_changed'))
    await fresh.until(isMethod('notifications/tools/list_changed'))

    running.app.bus.emit({ kind: 'prompts' })
    await old.until(isMethod('notifications/prompts/list_changed'))
    assert.ok(!fresh.text().includes('prompts/list_changed'))

    // Only the newer client watches the note so far.
    const changed = {
      path: PATH,
      headers: session.headers,
      body: call('tools/call', { name: 'change', arguments: {} }),
    }
    await rpc(running, changed)
    await fresh.until(isMethod('notifications/resources/updated'))
    assert.ok(!old.text().includes('resources/updated'))
    const watch = (method: string) =>
      rpc(running, { path: PATH, headers: session.headers, body: call(method, { uri: 'wire://note' }) })
    assert.equal((await watch('resources/subscribe')).status, 200)
    await rpc(running, changed)
    await old.until(isMethod('notifications/resources/updated'))
    await watch('resources/unsubscribe')
    const before = old.text()
    await rpc(running, changed)
    running.app.bus.emit({ kind: 'resources' })
    await old.until(isMethod('notifications/resources/list_changed'))
    assert.ok(!old.text().slice(before.length).includes('resources/updated'))
  },
)

test('a second stream of one session is 409, and a lost one can be picked up where it broke', TIMEOUT, async (t) => {
  const { running } = await start(t)
  const session = await openSession(running, { path: PATH })
  const first = await open(running, { method: 'GET', path: PATH, headers: session.headers })
  const second = await rpc(running, { method: 'GET', path: PATH, headers: session.headers })
  assert.equal(second.status, 409)
  running.app.bus.emit({ kind: 'tools' })
  await first.until(isMethod('notifications/tools/list_changed'))
  const seen = /^id: (\S+)$/m.exec(first.text())?.[1] ?? ''
  first.abort()
  await until(() => wireOf(running.app).streams.open === 0)
  running.app.bus.emit({ kind: 'prompts' })
  const resumed = await open(running, {
    method: 'GET',
    path: PATH,
    headers: { ...session.headers, 'last-event-id': seen },
  })
  await resumed.until(isMethod('notifications/prompts/list_changed'))
  assert.ok(!resumed.text().includes('tools/list_changed'))

  const other = await openSession(running, { path: PATH })
  const stolen = await rpc(running, { method: 'GET', path: PATH, headers: { ...other.headers, 'last-event-id': seen } })
  assert.equal(stolen.status, 400)
})

test('a session keeps nothing of a call that has ended, whether or not it had to wait', TIMEOUT, async (t) => {
  const { running, wire } = await start(t)
  const { id, headers } = await openSession(running, { path: PATH })
  const session = wireOf(running.app).sessions.find(id, 'wire', 'local:1', 'streamable')
  const run = (params: object, name: string) =>
    rpc(running, { path: PATH, headers, body: call('tools/call', params, name) })
  await run({ name: 'peek', arguments: {} }, 'peek')
  const waits = run(waiting('w'), 'wait')
  await wire.started()
  assert.equal(session?.cancellable, 1)
  wire.release()
  await waits
  assert.equal(session.cancellable, 0)
})

test('when the gateway closes, calls in flight are answered and every stream ends properly', TIMEOUT, async (t) => {
  const { running, wire } = await start(t)
  const session = await openSession(running, { path: PATH })
  const old = await open(running, { method: 'GET', path: PATH, headers: session.headers })
  const fresh = await open(running, {
    path: PATH,
    ...modern('subscriptions/listen', { notifications: { toolsListChanged: true } }, { id: 'sub' }),
  })
  await fresh.until(isMethod('notifications/subscriptions/acknowledged'))
  const hot = rpc(running, { path: PATH, ...modern('tools/call', waiting('hot')) })
  await wire.started()
  const slow = rpc(running, {
    path: PATH,
    headers: session.headers,
    body: call('tools/call', waiting('slow', { _meta: { progressToken: 1 } })),
  })
  await wire.started()
  const closing = running.app.close()
  wire.release()
  assert.equal(at((await hot).messages.at(-1), 'result.content.0.text'), 'done hot')
  assert.equal(at((await slow).messages.at(-1), 'result.content.0.text'), 'done slow')
  assert.equal(await old.ended, 'ended')
  await fresh.until(isAnswer('sub'))
  assert.equal(await fresh.ended, 'ended')
  await closing
})
