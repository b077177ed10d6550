// The transport of 2024-11-05: where its stream says to post, whose a session is, and what travels on it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { at, call, initialize, openSession, rpc } from '../../fixtures/rpc.ts'
import { addOwner } from '../../fixtures/owner.ts'
import { isAnswer, openSse, startSse, until } from '../../fixtures/sse.ts'
import { start, waiting } from './sse-app.ts'

const TIMEOUT = { timeout: 60_000 }
const PATH = '/wire/sse'
const UNKNOWN = '11111111-2222-3333-4444-555555555555'

test(
  'every server and every alias of it has the pair of paths, and both lead to the same tools',
  TIMEOUT,
  async (t) => {
    const { running } = await start(t)
    for (const [events, messages] of [
      ['/memory/sse', '/memory/messages'],
      ['/sse', '/messages'],
      ['/wire/sse', '/wire/messages'],
    ] as const) {
      const client = await startSse(running, events)
      assert.match(client.messages, new RegExp(`^${messages}\\?sessionId=[0-9a-f-]{36}$`))
      const listed = await client.ask('tools/list')
      const served = running.app.catalog.server(events === '/wire/sse' ? 'wire' : 'memory')
      assert.equal(Number(at(listed, 'result.tools.length')), served?.tools.length)
      client.stream.abort()
    }
  },
)

test('below a public path the stream names the whole path, and the session works there', TIMEOUT, async (t) => {
  const { running } = await start(t, { CROW_GATEWAY_URL: 'https://gw.example/gw' })
  await addOwner(running.app.database)
  for (const events of ['/gw/memory/sse', '/memory/sse']) {
    const client = await openSse(running, events)
    assert.match(client.messages, /^\/gw\/memory\/messages\?sessionId=/)
    const taken = await client.post(initialize({}, '2024-11-05'))
    assert.equal(taken.status, 202)
    assert.equal(taken.text, '')
    const answer = await client.stream.until(isAnswer('init'))
    assert.equal(at(answer, 'result.protocolVersion'), '2024-11-05')
    const unknown = await rpc(running, { path: `/gw/memory/messages?sessionId=${UNKNOWN}`, body: call('ping') })
    assert.equal(unknown.status, 404)
    client.stream.abort()
  }
})

test('a message without a session is nobody’s, though exactly one client is connected', TIMEOUT, async (t) => {
  const { running } = await start(t)
  const client = await startSse(running, PATH)
  const before = client.stream.text()
  const id = client.messages.split('=')[1] ?? ''
  for (const query of ['', '?', '?sessionId=', `?sessionId=${id}&sessionId=${id}`, `?sessionid=${id}`]) {
    const answer = await rpc(running, { path: `/wire/messages${query}`, body: call('ping', undefined, 9) })
    assert.equal(answer.status, 400, query)
    assert.equal(at(answer.messages[0], 'error.code'), -32000)
    assert.equal(at(answer.messages[0], 'id'), 9)
    assert.match(answer.headers['content-type'] ?? '', /^application\/json/)
  }
  await client.ask('ping', undefined, 'mine')
  assert.ok(!client.stream.text().slice(before.length).includes('"id":9'))
})

test(
  'an unknown session, somebody else’s, another server’s and another transport’s are all the same 404',
  TIMEOUT,
  async (t) => {
    const { running, sessions } = await start(t)
    const client = await startSse(running, PATH)
    const id = client.messages.split('=')[1] ?? ''
    const streamable = await openSession(running, { path: '/wire/mcp' })
    const other = { port: running.port, token: (await running.app.tokens.create({ name: 'other' })).secret }
    const bodies: unknown[] = []
    for (const [to, path] of [
      [running, `/wire/messages?sessionId=${UNKNOWN}`],
      [other, client.messages],
      [running, `/memory/messages?sessionId=${id}`],
      [running, `/wire/messages?sessionId=${streamable.id}`],
    ] as const) {
      const answer = await rpc(to, { path, body: call('ping', undefined, 7) })
      assert.equal(answer.status, 404, path)
      bodies.push(answer.messages[0])
    }
    for (const body of bodies) assert.deepEqual(body, bodies[0])
    assert.equal(at(bodies[0], 'error.code'), -32001)
    const crossed = await rpc(running, { path: '/wire/mcp', headers: { 'mcp-session-id': id }, body: call('ping') })
    assert.equal(crossed.status, 404)
    assert.equal(sessions.size, 2)
    await client.ask('ping')
  },
)

test('bodies that are no messages are refused in JSON-RPC, and the session goes on', TIMEOUT, async (t) => {
  const { running } = await start(t)
  const client = await startSse(running, PATH)
  const many = Array.from({ length: 101 }, (_, id) => call('ping', undefined, id))
  for (const [body, status, code] of [
    ['{', 400, -32700],
    [{ hello: 'world' }, 400, -32600],
    [[call('ping'), 7], 400, -32600],
    [[], 400, -32600],
    [many, 400, -32600],
    [call('ping', undefined, 'x'.repeat(2_000)), 400, -32600],
  ] as const) {
    const answer = await client.post(body, { headers: { 'content-type': 'application/json' } })
    assert.equal(answer.status, status, JSON.stringify(body).slice(0, 80))
    assert.equal(at(answer.messages[0], 'error.code'), code, answer.text)
  }
  const version = await client.post(call('ping'), { headers: { 'mcp-protocol-version': '1999-01-01' } })
  assert.equal(version.status, 400)
  const text = await client.post('hello', { headers: { 'content-type': 'text/plain' } })
  assert.equal(text.status, 415)
  const unknown = await client.ask('no/such', undefined, 'unknown')
  assert.equal(at(unknown, 'error.code'), -32601)
  const two = await client.post([call('ping', undefined, 'a'), call('ping', undefined, 'b')])
  assert.equal(two.status, 202)
  await client.stream.until(isAnswer('a'))
  await client.stream.until(isAnswer('b'))
})

test('calls work, report progress, ask the person, and are cancelled', TIMEOUT, async (t) => {
  const { running, wire } = await start(t)
  const client = await startSse(running, PATH, { elicitation: {} }, '2025-06-18')
  const echoed = await client.ask('tools/call', { name: 'echo', arguments: { text: 'Grüße 漢字' } }, 'echo')
  assert.equal(at(echoed, 'result.content.0.text'), 'Grüße 漢字')

  const asked = client.ask('tools/call', { name: 'forget', arguments: { id: 5 } }, 'forget')
  const question = await client.stream.until((message) => at(message, 'method') === 'elicitation/create')
  const result = { action: 'accept', content: { confirm: true } }
  assert.equal((await client.post({ jsonrpc: '2.0', id: at(question, 'id'), result })).status, 202)
  assert.equal(at(await asked, 'result.content.0.text'), 'forgot 5')

  await client.post(call('tools/call', waiting('long', { _meta: { progressToken: 'tok' } }), 'long'))
  const note = await client.stream.until((message) => at(message, 'method') === 'notifications/progress')
  assert.equal(at(note, 'params.progressToken'), 'tok')
  await client.post({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'long' } })
  await until(() => wire.aborted.includes('long'))
  await client.ask('ping', undefined, 'after')
  assert.ok(!client.stream.text().includes('"id":"long"'))
})

test('a client of 2024-11-05, which cannot be asked, confirms by a second call', TIMEOUT, async (t) => {
  const { running, wire } = await start(t)
  const client = await startSse(running, PATH)
  const first = await client.ask('tools/call', { name: 'forget', arguments: { id: 6 } }, 'first')
  const token = /confirm_token "([^"]+)"/.exec(String(at(first, 'result.content.0.text')))?.[1]
  assert.ok(token, JSON.stringify(first))
  const params = { name: 'forget', arguments: { id: 6, confirm_token: token } }
  assert.equal(at(await client.ask('tools/call', params, 'second'), 'result.content.0.text'), 'forgot 6')
  assert.deepEqual(wire.forgotten, [6])
})

test('changes are told to the sessions that should hear of them', TIMEOUT, async (t) => {
  const { running } = await start(t)
  const client = await startSse(running, PATH)
  const other = await startSse(running, PATH)
  await client.ask('resources/subscribe', { uri: 'wire://note' })
  await client.ask('tools/call', { name: 'change', arguments: {} }, 'change')
  await client.stream.until((message) => at(message, 'method') === 'notifications/resources/updated')
  running.app.bus.emit({ kind: 'tools' })
  await other.stream.until((message) => at(message, 'method') === 'notifications/tools/list_changed')
  assert.ok(!other.stream.text().includes('resources/updated'))
})

test('two clients at once hear only themselves, and one that drops and comes back harms nobody', TIMEOUT, async (t) => {
  const { running, sessions, streams, lines } = await start(t)
  let first = await startSse(running, '/memory/sse')
  const second = await startSse(running, '/memory/sse')
  for (let round = 0; round < 20; round++) {
    const mine = await first.ask('ping', undefined, `first-${round}`)
    const theirs = await second.ask('ping', undefined, `second-${round}`)
    assert.deepEqual([at(mine, 'id'), at(theirs, 'id')], [`first-${round}`, `second-${round}`])
    assert.ok(!first.stream.text().includes('second-'))
    assert.ok(!second.stream.text().includes('first-'))
    first.stream.abort()
    first = await startSse(running, '/memory/sse')
  }
  await until(() => sessions.size === 2 && streams.open === 2)
  first.stream.abort()
  second.stream.abort()
  await until(() => sessions.size === 0 && streams.open === 0)
  assert.deepEqual(lines, [])
})
