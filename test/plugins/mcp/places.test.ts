// A client says where it works, and is told the sections for that device and project: in both eras, on both paths, for as long as
// its session lasts.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { wireOf } from '../../../plugins/mcp/index.ts'
import { everyone } from '../../../src/runtime/compile-server.ts'
import { invoke } from '../../../src/runtime/invoke.ts'
import { at, call, initialize, modern, rpc, type Received } from '../../fixtures/rpc.ts'
import { startApp } from '../../fixtures/running-app.ts'
import { isAnswer, openSse } from '../../fixtures/sse.ts'

const timeout = 60_000
const PATH = '/memory/mcp'
const PHONE = { 'crow-device': 'phone' }
const PROJECT = { 'crow-device': 'phone', 'crow-project': '7' }

/** Three texts of one section: everywhere, on the phone, and on the phone in a project. */
async function start(t: TestContext) {
  const running = await startApp({ CROW_CONTEXT_WRITES: 'free' })
  t.after(() => running.close())
  const put = async (tool: string, params: object) => {
    const given = { caller: everyone, server: 'memory', tool, params }
    assert.ok(!JSON.stringify(await invoke(running.app.catalog, given)).includes('tool_error'))
  }
  await put('update_context_section', { section_key: 'session_protocol', content: 'zeppelin' })
  const override = { section_key: 'session_protocol', section_title: 'Sessions' }
  await put('add_context_section', { ...override, content: 'telephone', device_id: 'phone' })
  await put('add_context_section', { ...override, content: 'excavation', device_id: 'phone', project_id: 7 })
  return running
}

const SAID = /zeppelin|telephone|excavation/g
const said = ({ text }: Received): string => [...new Set(text.match(SAID))].join()

const asked = [
  modern('server/discover'),
  modern('prompts/get', { name: 'session-start', arguments: {} }),
  modern('prompts/get', { name: 'crow-guide', arguments: {} }),
  modern('resources/read', { uri: 'crow://context' }),
  modern('tools/call', { name: 'crow_get_context', arguments: {} }),
]

test('in 2026 each request says it', { timeout }, async (t) => {
  const running = await start(t)
  const { counters } = wireOf(running.app).endpoint('memory').hot
  for (const enabled of [true, false]) {
    counters.enabled = enabled
    for (const sent of asked) {
      const ask = (more: object) => rpc(running, { path: PATH, ...sent, headers: { ...sent.headers, ...more } })
      assert.equal(said(await ask({})), 'zeppelin')
      assert.equal(said(await ask(PHONE)), 'telephone')
      assert.equal(said(await ask(PROJECT)), 'excavation')
      assert.equal(said(await ask({ 'crow-device': 'another', 'crow-project': '' })), 'zeppelin')
    }
  }
  const own = modern('tools/call', { name: 'crow_get_context', arguments: { device_id: 'another' } })
  const answer = await rpc(running, { path: PATH, ...own, headers: { ...own.headers, ...PHONE } })
  assert.equal(said(answer), 'zeppelin', 'what a call names itself comes first')
})

test('in 2025 it is said when the session is opened, and stays', { timeout }, async (t) => {
  const running = await start(t)
  for (const [headers, expected] of [
    [{}, 'zeppelin'],
    [PHONE, 'telephone'],
    [PROJECT, 'excavation'],
  ] as const) {
    const opened = await rpc(running, { path: PATH, headers, body: initialize() })
    assert.equal(said(opened), expected)
    const session = {
      'mcp-session-id': String(opened.headers['mcp-session-id']),
      'mcp-protocol-version': '2025-11-25',
    }
    await rpc(running, { path: PATH, headers: session, body: { jsonrpc: '2.0', method: 'notifications/initialized' } })
    const calls = [
      call('tools/call', { name: 'crow_get_context', arguments: {} }),
      call('tools/call', { name: 'crow_get_context', arguments: {}, _meta: { progressToken: 1 } }),
      call('prompts/get', { name: 'session-start', arguments: {} }),
      call('resources/read', { uri: 'crow://context' }),
    ]
    for (const body of calls)
      for (const more of [{}, { 'crow-device': 'another' }])
        assert.equal(said(await rpc(running, { path: PATH, headers: { ...session, ...more }, body })), expected)
  }
})

test('a stream of 2024-11-05 says it when it opens', { timeout }, async (t) => {
  const running = await start(t)
  const client = await openSse(running, '/memory/sse', PROJECT)
  await client.post(initialize({}, '2024-11-05'))
  const answer = await client.stream.until(isAnswer('init'))
  assert.match(String(at(answer, 'result.instructions')), /excavation/)
  client.stream.abort()
})

test('a place that cannot be one is refused before anything is told', { timeout }, async (t) => {
  const running = await start(t)
  for (const headers of [{ 'crow-device': 'x'.repeat(201) }, { 'crow-project': '0' }, { 'crow-project': 'seven' }]) {
    const sent = modern('server/discover')
    for (const answer of [
      await rpc(running, { path: PATH, ...sent, headers: { ...sent.headers, ...headers } }),
      await rpc(running, { path: PATH, headers, body: initialize() }),
      await rpc(running, { method: 'GET', path: '/memory/sse', headers }),
    ]) {
      assert.equal(answer.status, 400)
      assert.match(answer.text, /Crow-Device takes one line.*Crow-Project the number of a project/)
    }
  }
})

test('who may not read sections is told the same everywhere', { timeout }, async (t) => {
  const running = await start(t)
  const { secret } = await running.app.tokens.create({ name: 'other', scopes: ['storage'] })
  const sent = modern('server/discover')
  const to = { port: running.port, token: secret }
  const answer = await rpc(to, { path: '/router/mcp', ...sent, headers: { ...sent.headers, ...PROJECT } })
  assert.equal(said(answer), '')
})
