import assert from 'node:assert/strict'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { test, type TestContext } from 'node:test'
import {
  LinkFailure,
  LinkTimeout,
  RpcError,
  type Link,
  type OpenOptions,
  type Target,
} from '../../../../src/lib/link.ts'
import { openRemoteLink } from '../../../../src/mcp/outbound/remote-link.ts'
import { conformanceServer } from '../../../fixtures/conformance-server.ts'
import { startApp, type RunningApp } from '../../../fixtures/running-app.ts'
import { until } from '../../../fixtures/until.ts'

const timeout = 30_000
type Remote = Extract<Target, { kind: 'http' | 'sse' }>

interface Heard {
  readonly notifications: string[]
  readonly requests: string[]
}

function optionsFor(heard: Heard, more: Partial<OpenOptions> = {}): OpenOptions {
  return {
    handlers: {
      onNotification: (method) => void heard.notifications.push(method),
      onRequest: async (method) => {
        heard.requests.push(method)
        return { action: 'accept', content: { username: 'u', email: 'e@example.org', name: 'n' } }
      },
    },
    capabilities: {},
    startTimeoutMs: 5_000,
    note: () => undefined,
    ...more,
  }
}

async function upstream(t: TestContext, env: Record<string, string> = {}): Promise<RunningApp> {
  const app = await startApp(env, { servers: [conformanceServer] })
  t.after(() => app.close())
  return app
}

const targetOf = ({ origin, token }: RunningApp, kind: Remote['kind'] = 'http'): Remote => ({
  kind,
  url: `${origin}/conformance/${kind === 'sse' ? 'sse' : 'mcp'}`,
  headers: { authorization: `Bearer ${token}` },
})

async function open(t: TestContext, target: Remote, heard: Heard, more: Partial<OpenOptions> = {}): Promise<Link> {
  const link = await openRemoteLink(target, optionsFor(heard, more))
  t.after(() => link.close())
  return link
}

const heardNothing = (): Heard => ({ notifications: [], requests: [] })

for (const [name, env, kind, era] of [
  ['a server with sessions', { CROW_ERAS: '2025' }, 'http', '2025'],
  ['the older pair of paths', {}, 'sse', '2025'],
  ['a server without sessions', { CROW_ERAS: '2026' }, 'http', '2026'],
  ['a server of both kinds', {}, 'http', '2026'],
] as const) {
  test(`${name}: found out, listed with every field, and called`, { timeout }, async (t) => {
    const link = await open(t, targetOf(await upstream(t, env), kind), heardNothing())
    assert.equal(link.peer.era, era)
    const listed = await link.request('tools/list', {}, { timeoutMs: 5_000 })
    const tools: unknown = listed['tools']
    assert.ok(Array.isArray(tools))
    const verbatim: unknown = tools.find((tool) => tool.name === 'json_schema_2020_12_tool')
    assert.ok(JSON.stringify(verbatim).includes('$defs'))
    const result = await link.request('tools/call', { name: 'test_simple_text', arguments: {} }, { timeoutMs: 5_000 })
    assert.match(JSON.stringify(result['content']), /"type":"text"/)
    await assert.rejects(
      link.request('tools/call', { name: 'no_such_tool', arguments: {} }, { timeoutMs: 5_000 }),
      (error: unknown) => error instanceof RpcError && error.code === -32_602,
    )
    assert.equal(link.pending, 0)
  })
}

test('a verdict that was stored is taken, and one that has become wrong is found out', { timeout }, async (t) => {
  const modern = await upstream(t, { CROW_ERAS: '2026' })
  const sessions = await upstream(t, { CROW_ERAS: '2025' })
  const link = async (app: RunningApp, era: '2025' | '2026') =>
    (await open(t, targetOf(app), heardNothing(), { era })).peer.era
  assert.equal(await link(sessions, '2025'), '2025')
  assert.equal(await link(modern, '2026'), '2026')
  assert.equal(await link(modern, '2025'), '2026')
  assert.equal(await link(sessions, '2026'), '2025')
})

test('progress comes in order, and extends the time that a call has', { timeout }, async (t) => {
  const link = await open(t, targetOf(await upstream(t, { CROW_ERAS: '2025' })), heardNothing())
  const seen: unknown[] = []
  await link.request(
    'tools/call',
    { name: 'test_tool_with_progress', arguments: {} },
    { timeoutMs: 5_000, onProgress: ({ progress }) => void seen.push(progress) },
  )
  assert.deepEqual(seen, [0, 50, 100])
})

test('a server with sessions asks back, and gets the answer', { timeout }, async (t) => {
  const heard = heardNothing()
  const app = await upstream(t, { CROW_ERAS: '2025' })
  const link = await open(t, targetOf(app), heard, { capabilities: { elicitation: {} } })
  const params = { name: 'test_elicitation', arguments: { message: 'Who?' } }
  const result = await link.request('tools/call', params, { timeoutMs: 10_000 })
  assert.deepEqual(heard.requests, ['elicitation/create'])
  assert.equal(result['isError'] ?? false, false)
})

test('a server without sessions answers that it needs input, and is called again with it', { timeout }, async (t) => {
  const link = await open(t, targetOf(await upstream(t)), heardNothing())
  const params = { name: 'test_elicitation', arguments: { message: 'Who?' } }
  const asked = { timeoutMs: 5_000, capabilities: { elicitation: {} } }
  const first = await link.request('tools/call', params, asked)
  assert.equal(first['resultType'], 'input_required')
  const requests = Object.keys(Object(first['inputRequests']))
  const answers = requests.map((key) => [key, { action: 'accept', content: { username: 'u', email: 'e@example.org' } }])
  const again = { ...params, inputResponses: Object.fromEntries(answers), requestState: first['requestState'] }
  const second = await link.request('tools/call', again, asked)
  assert.ok(Array.isArray(second['content']))
})

for (const env of [{ CROW_ERAS: '2025' }, { CROW_ERAS: '2026' }])
  test(`a change of lists is heard (${env.CROW_ERAS})`, { timeout }, async (t) => {
    const heard = heardNothing()
    const app = await upstream(t, env)
    await open(t, targetOf(app), heard)
    await until(() => app.app.streams.open > 0)
    app.app.catalog.bus.emit({ kind: 'tools' })
    await until(() => heard.notifications.includes('notifications/tools/list_changed'))
  })

async function failure(target: Remote): Promise<string> {
  const error: unknown = await openRemoteLink(target, optionsFor(heardNothing())).catch((thrown: unknown) => thrown)
  assert.ok(error instanceof LinkFailure, String(error))
  return error.message
}

test('nobody there, wrong credentials, no MCP: one sentence each, and soon', { timeout }, async (t) => {
  const app = await upstream(t)
  const { origin } = app
  const gone = await plain(t, () => undefined)
  await new Promise((resolve) => gone.server.close(resolve))
  assert.match(await failure(gone.target), /cannot be reached \(ECONNREFUSED\)/)
  // A port that HTTP clients refuse to use.
  assert.match(await failure({ kind: 'http', url: 'http://127.0.0.1:9/mcp', headers: {} }), /failed: bad port/)
  assert.match(
    await failure({ ...targetOf(app), headers: { authorization: 'Bearer wrong' } }),
    /other credentials \(HTTP 401\)/,
  )
  assert.match(await failure({ kind: 'http', url: `${origin}/nothing/mcp`, headers: {} }), /HTTP 404/)
})

/** A server in plain Node, for what a good one does not do. */
async function plain(
  t: TestContext,
  answer: (request: IncomingMessage, response: ServerResponse, body: string) => void,
) {
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (part: string) => (body += part))
    request.on('end', () => answer(request, response, body))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  assert.ok(typeof address === 'object' && address !== null)
  return { server, target: { kind: 'http', url: `http://127.0.0.1:${address.port}/mcp`, headers: {} } satisfies Remote }
}

const initialized = {
  protocolVersion: '2025-06-18',
  capabilities: { tools: {} },
  serverInfo: { name: 'p', version: '1' },
}

/** Answers the handshake of a 2025 session; everything else goes to `then`. */
function sessionServer(then: (method: string, id: unknown, response: ServerResponse) => void) {
  return (request: IncomingMessage, response: ServerResponse, body: string): void => {
    if (request.method !== 'POST') return void response.writeHead(405).end()
    const { method, id } = JSON.parse(body)
    const json = { 'content-type': 'application/json', 'mcp-session-id': 's1' }
    if (method === 'initialize')
      return void response.writeHead(200, json).end(JSON.stringify({ jsonrpc: '2.0', id, result: initialized }))
    if (method === 'server/discover')
      return void response
        .writeHead(200, json)
        .end(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32_601, message: 'no' } }))
    if (id === undefined) return void response.writeHead(202).end()
    then(method, id, response)
  }
}

test(
  'a session that the server has forgotten ends the link, and says that nothing was heard',
  { timeout },
  async (t) => {
    for (const [status, text] of [
      [404, 'Session not found'],
      [400, 'Bad Request: No valid session ID'],
    ] as const) {
      const { target } = await plain(
        t,
        sessionServer((_method, _id, response) => void response.writeHead(status).end(text)),
      )
      const link = await open(t, target, heardNothing())
      const calls = [1, 2, 3].map(() => link.request('tools/list', {}, { timeoutMs: 5_000 }))
      for (const outcome of await Promise.allSettled(calls)) {
        assert.equal(outcome.status, 'rejected')
        assert.ok(outcome.reason instanceof LinkFailure)
        assert.equal(outcome.reason.end.unheard, true)
      }
      assert.equal((await link.closed).wanted, false)
    }
  },
)

test('an answer whose stream ends before it came fails at once, not at its deadline', { timeout }, async (t) => {
  const events = { 'content-type': 'text/event-stream' }
  const cut = (_method: string, id: unknown, response: ServerResponse): void => {
    response.writeHead(200, events)
    const note = { jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: id } }
    response.write(`data: ${JSON.stringify(note)}\n\n`, () => setImmediate(() => response.destroy()))
  }
  const { target } = await plain(t, sessionServer(cut))
  const link = await open(t, target, heardNothing())
  const started = performance.now()
  await assert.rejects(link.request('tools/list', {}, { timeoutMs: 20_000 }), LinkFailure)
  assert.ok(performance.now() - started < 5_000)
  assert.equal(link.pending, 0)
})

test('silence ends at the deadline; whoever gives up hears their own reason', { timeout }, async (t) => {
  const { target } = await plain(
    t,
    sessionServer(() => undefined),
  )
  const link = await open(t, target, heardNothing())
  await assert.rejects(link.request('tools/list', {}, { timeoutMs: 100 }), LinkTimeout)
  const gone = new AbortController()
  const reason = new Error('the caller left')
  const call = link.request('tools/list', {}, { timeoutMs: 20_000, signal: gone.signal })
  gone.abort(reason)
  await assert.rejects(call, reason)
})

test('credentials never follow a redirect to another origin', { timeout }, async (t) => {
  const seen: IncomingMessage[] = []
  const other = await plain(t, (request, response) => {
    seen.push(request)
    response.writeHead(200).end()
  })
  const { target } = await plain(t, (_request, response) => {
    response.writeHead(307, { location: other.target.url }).end()
  })
  const secret = { ...target, headers: { authorization: 'Bearer sentinel-of-upstream' } }
  await assert.rejects(openRemoteLink(secret, optionsFor(heardNothing())), (error: unknown) => {
    assert.ok(error instanceof LinkFailure)
    assert.ok(!error.message.includes('sentinel'))
    return true
  })
  assert.equal(seen.length, 0)
})
