// Attacks on the transport of the whole gateway: foreign pages and names, other people's sessions and streams, floods.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect as connectSocket } from 'node:net'
import { test, type TestContext } from 'node:test'
import { wireOf } from '../../plugins/mcp/index.ts'
import { at, call, initialize, modern, open, openSession, rpc } from '../fixtures/rpc.ts'
import { startApp, type RunningApp } from '../fixtures/running-app.ts'

const timeout = 120_000
const PATH = '/memory/mcp'

async function gateway(t: TestContext, env: Record<string, string> = {}): Promise<RunningApp> {
  const running = await startApp({ CROW_LIMIT_STRANGER: '1000000', ...env })
  t.after(() => running.close())
  return running
}

const mountsOf = ({ app }: RunningApp) => app.routeTable.filter(({ answers }) => answers === 'json-rpc')

/** Another person with a token of their own. */
async function other({ app, port }: RunningApp) {
  return { port, token: (await app.tokens.create({ name: 'other' })).secret }
}

const listen = (to: { port: number; token: string }) =>
  open(to, { path: PATH, ...modern('subscriptions/listen', { notifications: { toolsListChanged: true } }) })

/** What is answered to these very bytes. */
async function statusOf(port: number, text: string): Promise<number> {
  const socket = connectSocket(port, '127.0.0.1')
  socket.write(text)
  const [answer] = await once(socket, 'data')
  socket.destroy()
  return Number(/^HTTP\/1\.1 (\d+)/.exec(String(answer))?.[1])
}

test(
  'a page of any other origin is refused at every mount, with the token of the owner in hand',
  { timeout },
  async (t) => {
    const running = await gateway(t)
    const { port, token } = running
    for (const { method, path } of mountsOf(running)) {
      for (const origin of [
        'http://evil.example',
        'null',
        'https://localhost.evil.example',
        'http://127.0.0.1.evil.example',
      ])
        assert.equal(
          (await rpc(running, { method, path, headers: { origin } })).status,
          403,
          `${method} ${path} ${origin}`,
        )
      const lines = [`${method} ${path} HTTP/1.1`, `Host: 127.0.0.1:${port}`, `Authorization: Bearer ${token}`]
      const two = [...lines, `Origin: http://127.0.0.1:${port}`, 'Origin: http://evil.example', '', ''].join('\r\n')
      assert.ok([400, 403].includes(await statusOf(port, two)), `${method} ${path}`)
    }
  },
)

test('a name that was rebound to this machine is refused at every mount', { timeout }, async (t) => {
  const running = await gateway(t)
  for (const { method, path } of mountsOf(running))
    for (const host of [
      'evil.example',
      `evil.example:${running.port}`,
      '127.0.0.1.evil.example',
      'localhost.',
      '0x7f.1',
    ])
      assert.equal((await rpc(running, { method, path, headers: { host } })).status, 403, `${method} ${path} ${host}`)
})

test(
  'the session of somebody else is unknown, with a good token and with none, and never read from a URL',
  { timeout },
  async (t) => {
    const running = await gateway(t)
    const thief = await other(running)
    const { id, headers } = await openSession(running, { path: PATH })
    const list = { path: PATH, body: call('tools/list') }
    assert.equal((await rpc(running, { ...list, headers })).status, 200)
    for (const sent of [
      { ...list, headers },
      { method: 'GET', path: PATH, headers },
      { method: 'DELETE', path: PATH, headers },
    ]) {
      assert.equal((await rpc(thief, sent)).status, 404)
      assert.equal((await rpc(thief, { ...sent, headers: { ...headers, authorization: undefined } })).status, 401)
    }
    for (const name of ['mcp-session-id', 'Mcp-Session-Id', 'sessionId', 'session_id'])
      assert.equal((await rpc(running, { ...list, path: `${PATH}?${name}=${id}` })).status, 400, name)
    assert.equal((await rpc(running, { ...list, headers })).status, 200, 'nobody ended it')
  },
)

test('the stream of somebody else cannot be picked up by the id of its last event', { timeout }, async (t) => {
  const running = await gateway(t)
  const thief = await other(running)
  const { headers } = await openSession(running, { path: PATH })
  const stream = await open(running, { method: 'GET', path: PATH, headers })
  running.app.bus.emit({ kind: 'tools' })
  await stream.until((message) => at(message, 'method') === 'notifications/tools/list_changed')
  const last = /^id: (.+)$/m.exec(stream.text())?.[1] ?? ''
  assert.notEqual(last, '', stream.text())
  stream.abort()
  const stolen = await open(thief, { method: 'GET', path: PATH, headers: { ...headers, 'last-event-id': last } })
  assert.equal(stolen.status, 404)
  const own = await openSession(thief, { path: PATH })
  const resumed = await open(thief, { method: 'GET', path: PATH, headers: { ...own.headers, 'last-event-id': last } })
  if (resumed.status === 200) {
    running.app.bus.emit({ kind: 'prompts' })
    await resumed.until((message) => at(message, 'method') === 'notifications/prompts/list_changed')
  }
  resumed.abort()
  assert.ok(!resumed.text().includes('tools/list_changed'), resumed.text())
})

test('headers that name another method or tool than the body are refused, and nothing runs', { timeout }, async (t) => {
  const running = await gateway(t)
  const store = modern('tools/call', { name: 'crow_store_memory', arguments: { content: 'planted' } })
  for (const headers of [
    { ...store.headers, 'mcp-name': 'crow_recall_memories' },
    { ...store.headers, 'mcp-method': 'tools/list' },
    { ...store.headers, 'mcp-method': 'tools/list', 'mcp-name': undefined },
    { ...store.headers, 'mcp-name': undefined },
    { ...store.headers, 'mcp-method': undefined },
  ]) {
    const answer = await rpc(running, { ...store, path: PATH, headers })
    assert.equal(answer.status, 400, JSON.stringify(headers))
    assert.equal(at(answer.messages[0], 'error.code'), -32020)
  }
  assert.equal(running.app.database.sqlite.prepare('SELECT count(*) FROM memories').pluck().get(), 0)
})

test('the trail names the tool that ran, not the one that a header named', { timeout }, async (t) => {
  const running = await gateway(t)
  const { headers } = await openSession(running, { path: PATH })
  const body = call('tools/call', { name: 'crow_store_memory', arguments: { content: 'mine' } })
  await rpc(running, { path: PATH, body, headers: { ...headers, 'mcp-name': 'crow_recall_memories' } })
  await running.app.audit.flush()
  const rows = running.app.database.sqlite.prepare("SELECT tool FROM audit WHERE server = 'memory'")
  assert.deepEqual(rows.pluck().all(), ['store_memory'])
})

test('thousands who say hello and never leave are bounded, and who is at work stays', { timeout }, async (t) => {
  const running = await gateway(t, {
    CROW_SESSION_MAX_PER_CALLER: '50',
    CROW_SESSION_MAX: '60',
    CROW_LIMIT_PRINCIPAL: '1000000',
  })
  const friend = await other(running)
  const { headers } = await openSession(friend, { path: PATH })
  const stream = await open(friend, { method: 'GET', path: PATH, headers })
  const before = process.memoryUsage().heapUsed
  const { sessions } = wireOf(running.app)
  for (let hello = 0; hello < 5_000; hello += 10) {
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => rpc(running, { path: PATH, body: initialize() })),
    )
    for (const { status } of answers) assert.ok(status === 200 || status === 503, String(status))
    assert.ok(sessions.size <= 51, `${sessions.size} sessions`)
  }
  assert.ok(process.memoryUsage().heapUsed - before < 200 * 2 ** 20)
  assert.equal((await rpc(friend, { path: PATH, headers, body: call('tools/list') })).status, 200)
  stream.abort()
})

test(
  'one stream more than the bound is refused with a time to come back, and leaves nothing behind',
  { timeout },
  async (t) => {
    const running = await gateway(t, { CROW_SSE_MAX: '4' })
    const thief = await other(running)
    for (const to of [running, running, running, thief]) assert.equal((await listen(to)).status, 200)
    for (let more = 0; more < 20; more++) {
      const refused = await listen(thief)
      assert.equal(refused.status, 503)
      assert.ok(Number(refused.headers['retry-after']) > 0)
      refused.abort()
    }
    assert.equal(wireOf(running.app).streams.open, 4)
  },
)

test('JSON that hides something for later, or is too deep to walk, reaches no tool', { timeout }, async (t) => {
  const running = await gateway(t)
  const { headers, body } = modern('tools/call', { name: 'crow_store_memory', arguments: { content: 'PLACE' } })
  const text = JSON.stringify(body)
  const send = (inside: string) =>
    rpc(running, { path: PATH, headers: headers ?? {}, body: text.replace('"content":"PLACE"', inside) })
  for (const inside of [
    '"content":"x","__proto__":{"polluted":true}',
    '"content":"x","constructor":{"prototype":{"polluted":true}}',
    `"content":"x","tags":${'['.repeat(10_000)}${']'.repeat(10_000)}`,
  ]) {
    const answer = await send(inside)
    assert.equal(answer.status, 400, answer.text.slice(0, 200))
    assert.equal(at(answer.messages[0], 'jsonrpc'), '2.0')
  }
  assert.match((await send(`"content":"x","tags":[${'[],'.repeat(200_000)}[]]`)).text, /more than 100000 values/)
  assert.equal(Reflect.get({}, 'polluted'), undefined)
  assert.equal(running.app.database.sqlite.prepare('SELECT count(*) FROM memories').pluck().get(), 0)
})

test(
  'a message beside an event stream without a session, or with that of somebody else, is nobody’s',
  { timeout },
  async (t) => {
    const running = await gateway(t)
    const thief = await other(running)
    const stream = await open(running, { method: 'GET', path: '/memory/sse', headers: { accept: 'text/event-stream' } })
    assert.equal(stream.status, 200)
    for (let turn = 0; turn < 200 && !stream.text().includes('sessionId='); turn++)
      await new Promise((resolve) => setTimeout(resolve, 10))
    const messages = /data: (\S+)/.exec(stream.text())?.[1] ?? ''
    assert.match(messages, /^\/memory\/messages\?sessionId=/)
    assert.equal((await rpc(running, { path: '/memory/messages', body: initialize() })).status, 400)
    assert.equal((await rpc(thief, { path: '/memory/messages', body: initialize() })).status, 400)
    assert.equal((await rpc(thief, { path: messages, body: initialize() })).status, 404)
    assert.ok(!stream.text().includes('protocolVersion'), 'nothing was attributed to the only client')
    assert.equal((await rpc(running, { path: messages, body: initialize() })).status, 202)
    await stream.until((message) => at(message, 'result.protocolVersion') !== undefined)
    stream.abort()
  },
)
