// Which requests the hot path takes, and which it leaves to the SDK.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { wireOf } from '../../../plugins/mcp/index.ts'
import { at, call, modern, openSession, rpc, type OpenSession, type Sent } from '../../fixtures/rpc.ts'
import { HotEncoder } from '../../../src/mcp/hot-encoder.ts'
import { defineServer } from '../../../src/runtime/server.ts'
import { startApp, type RunningApp } from '../../fixtures/running-app.ts'
import { wireServer } from '../../fixtures/wire-server.ts'

const TIMEOUT = { timeout: 30_000 }
const PATH = '/wire/mcp'

let running: RunningApp
let plain: OpenSession
let asking: OpenSession

before(async () => {
  const wire = wireServer().definition
  const grouped = defineServer({ id: 'grouped', summary: 'The same tools as one', tools: wire.tools, grouped: true })
  running = await startApp({}, { servers: [wire, grouped] })
  plain = await openSession(running, { path: PATH })
  asking = await openSession(running, { path: PATH, capabilities: { elicitation: {} } })
})
after(() => running.close())

/** Whether the hot path answered; the answer must be good either way. */
async function isHot(sent: Sent, status = 200, server = 'wire'): Promise<boolean> {
  const { counters } = wireOf(running.app).endpoint(server).hot
  const earlier = counters.answered
  const answer = await rpc(running, { path: `/${server}/mcp`, ...sent })
  assert.equal(answer.status, status, answer.text)
  return counters.answered > earlier
}

const echo = { name: 'echo', arguments: { text: 'x' } }
const forget = { name: 'forget', arguments: { id: 1 } }
const inSession = (session: OpenSession, method: string, params?: object, more: object = {}): Sent => ({
  headers: { ...session.headers, ...more },
  body: call(method, params),
})

test('well-formed calls and lists of both eras are answered hot', TIMEOUT, async () => {
  const hot: readonly [string, Sent][] = [
    ['2026 call', modern('tools/call', echo)],
    ['2026 list', modern('tools/list')],
    ['2026 discovery', modern('server/discover')],
    [
      '2026 call without client info',
      modern('tools/call', echo, { meta: { 'io.modelcontextprotocol/clientInfo': undefined } }),
    ],
    [
      '2026 call with a trace',
      modern('tools/call', echo, { meta: { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' } }),
    ],
    [
      '2026 call of a client that can ask',
      modern('tools/call', echo, { capabilities: { elicitation: {}, sampling: {}, roots: {} } }),
    ],
    ['2026 destruction without a way to ask', modern('tools/call', forget)],
    ['2026 wrong arguments', modern('tools/call', { name: 'echo', arguments: { nope: 1 } })],
    ['2025 call', inSession(plain, 'tools/call', echo)],
    ['2025 list', inSession(plain, 'tools/list')],
    ['2025 list with empty params', inSession(plain, 'tools/list', {})],
    ['2025 call without a version header', inSession(plain, 'tools/call', echo, { 'mcp-protocol-version': undefined })],
    ['2025 call of a client that can ask', inSession(asking, 'tools/call', echo)],
    ['2025 destruction without a way to ask', inSession(plain, 'tools/call', forget)],
  ]
  for (const [name, sent] of hot) assert.equal(await isHot(sent), true, name)
})

test('whatever is odd, streams or asks is left to the SDK', TIMEOUT, async () => {
  const cold: readonly [string, Sent, number?][] = [
    ['2026 progress', modern('tools/call', echo, { meta: { progressToken: 1 } })],
    ['2026 log messages', modern('tools/call', echo, { meta: { 'io.modelcontextprotocol/logLevel': 'info' } })],
    ['2026 destruction with a way to ask', modern('tools/call', forget, { capabilities: { elicitation: {} } })],
    ['2026 other method', modern('resources/list')],
    ['2026 cursor', modern('tools/list', { cursor: 'x' })],
    ['2026 encoded name', modern('tools/call', echo, { headers: { 'mcp-name': '=?base64?ZWNobw==?=' } })],
    ['2026 wrong name', modern('tools/call', echo, { headers: { 'mcp-name': 'other' } }), 400],
    ['2026 no name', modern('tools/call', echo, { headers: { 'mcp-name': undefined } }), 400],
    ['2026 wrong method', modern('tools/list', {}, { headers: { 'mcp-method': 'tools/call' } }), 400],
    ['2026 fractional id', modern('tools/list', {}, { id: 1.5 }), 400],
    ['2026 id beyond the safe integers', modern('tools/list', {}, { id: 2 ** 53 }), 400],
    ['2026 unknown tool', modern('tools/call', { name: 'nope', arguments: {} })],
    ['2026 arguments that are no object', modern('tools/call', { name: 'echo', arguments: [] })],
    ['2026 retry of an input round', modern('tools/call', { ...echo, inputResponses: {} })],
    ['2026 events only', modern('tools/list', {}, { headers: { accept: 'text/event-stream' } })],
    ['2025 progress', inSession(plain, 'tools/call', { ...echo, _meta: { progressToken: 1 } })],
    ['2025 other method', inSession(plain, 'ping')],
    ['2025 cursor', inSession(plain, 'tools/list', { cursor: 'x' })],
    ['2025 events only', inSession(plain, 'tools/list', undefined, { accept: 'text/event-stream' })],
    [
      '2025 unknown session',
      inSession({ id: 'x', headers: { 'mcp-session-id': 'x', 'mcp-protocol-version': '2025-11-25' } }, 'tools/list'),
      404,
    ],
    ['an extra member', { headers: plain.headers, body: { ...call('tools/list'), extra: 1 } }, 400],
  ]
  for (const [name, sent, status] of cold) assert.equal(await isHot(sent, status), false, name)
})

test('ids of every legal kind come back as they were', TIMEOUT, async () => {
  const ids = [
    0,
    -1,
    7,
    Number.MAX_SAFE_INTEGER,
    Number.MIN_SAFE_INTEGER,
    '',
    'a',
    'ünïcødé ☂',
    '"quoted\\',
    '\u2028\u0000',
    '😀'.repeat(50),
    '1',
  ]
  for (const id of ids) {
    for (const sent of [
      modern('tools/call', echo, { id }),
      { headers: plain.headers, body: call('tools/call', echo, id) },
    ]) {
      const answer = await rpc(running, { path: PATH, ...sent })
      assert.equal(at(answer.messages[0], 'id'), id)
      assert.equal(at(answer.messages[0], 'result.content.0.text'), 'x')
    }
  }
})

test(
  'lists say how long they stay fresh, name the server, and come in the same order every time',
  TIMEOUT,
  async () => {
    const first = await rpc(running, { path: PATH, ...modern('tools/list') })
    const result = at(first.messages[0], 'result')
    assert.equal(at(result, 'resultType'), 'complete')
    assert.equal(at(result, 'cacheScope'), 'private')
    assert.ok(Number.isInteger(at(result, 'ttlMs')))
    assert.ok(first.text.includes('"io.modelcontextprotocol/serverInfo":{"name":"crow-wire"'))
    for (let turn = 0; turn < 3; turn++) {
      const again = await rpc(running, { path: PATH, ...modern('tools/list') })
      assert.equal(again.text, first.text)
      const old = await rpc(running, { path: PATH, headers: plain.headers, body: call('tools/list') })
      assert.deepEqual(at(old.messages[0], 'result.tools'), at(result, 'tools'))
    }
  },
)

test('a list shows only what the scopes of the caller allow', TIMEOUT, async () => {
  const { secret } = await running.app.tokens.create({ name: 'reader', scopes: ['wire:read'] })
  const reader = { port: running.port, token: secret }
  const all = await rpc(running, { path: PATH, ...modern('tools/list') })
  const some = await rpc(reader, { path: PATH, ...modern('tools/list') })
  const names = (answer: typeof all): unknown[] => {
    const tools: unknown = at(answer.messages[0], 'result.tools')
    return Array.isArray(tools) ? tools.map((tool) => at(tool, 'name')) : []
  }
  assert.deepEqual(names(all), ['change', 'echo', 'forget', 'peek', 'wait'])
  assert.deepEqual(names(some), ['echo', 'peek', 'wait'])
})

test('tools that stand behind one are answered hot by the same rule', TIMEOUT, async () => {
  const listed = await rpc(running, { path: '/grouped/mcp', ...modern('tools/list') })
  const name = String(at(listed.messages[0], 'result.tools.0.name'))
  const action = (which: string, params: object): Record<string, unknown> => ({
    name,
    arguments: { action: which, params },
  })
  const asks = { capabilities: { elicitation: {} } }
  assert.equal(await isHot(modern('tools/call', action('echo', { text: 'x' })), 200, 'grouped'), true)
  assert.equal(await isHot(modern('tools/call', action('nope', {})), 200, 'grouped'), true)
  assert.equal(await isHot(modern('tools/call', action('forget', { id: 1 }), asks), 200, 'grouped'), false)
})

test('an outcome that came late and cannot be written is an error, and the process goes on', TIMEOUT, async (t) => {
  t.mock.method(HotEncoder.prototype, 'modernOutcome', () => {
    throw new Error('it has no text')
  })
  const late = modern('tools/call', { name: 'crow_store_memory', arguments: { content: 'written all the same' } })
  const answer = await rpc(running, { path: '/memory/mcp', ...late })
  assert.equal(answer.status, 500)
  assert.equal(at(answer.messages[0], 'error.code'), -32603)
  assert.equal(wireOf(running.app).calls.size, 0)
})
