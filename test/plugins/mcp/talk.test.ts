// What a tool says beside its answer: log messages to those who asked, failures in words and without secrets.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { conformanceServer } from '../../fixtures/conformance-server.ts'
import { at, call, modern, openSession, rpc } from '../../fixtures/rpc.ts'
import { startApp, type RunningApp } from '../../fixtures/running-app.ts'
import { defineServer } from '../../../src/runtime/server.ts'
import { defineTool } from '../../../src/runtime/tool.ts'

const TIMEOUT = { timeout: 30_000 }

const broken = defineServer({
  id: 'broken',
  prefix: '',
  summary: 'Fails in every way',
  tools: [
    defineTool({
      name: 'throw',
      summary: 'Throws',
      description: 'Throws what it should not.',
      effect: 'read',
      handle() {
        throw new Error('secret detail of line 42')
      },
    }),
  ],
  resources: [
    {
      uri: 'broken://resource',
      name: 'broken',
      description: 'Cannot be read.',
      mimeType: 'text/plain',
      read() {
        throw new Error('secret detail of line 43')
      },
    },
  ],
  prompts: [
    {
      name: 'broken',
      description: 'Cannot be rendered.',
      render() {
        throw new Error('secret detail of line 44')
      },
    },
  ],
})

let running: RunningApp
before(async () => {
  running = await startApp({}, { servers: [conformanceServer, broken] })
})
after(() => running.close())

const level = (wanted: string) => ({ meta: { 'io.modelcontextprotocol/logLevel': wanted } })

const logs = (messages: readonly unknown[]): unknown[] =>
  messages.filter((message) => at(message, 'method') === 'notifications/message')

test(
  'a 2026 client gets log messages only when the request asks for them, from the level it asks for',
  TIMEOUT,
  async () => {
    const params = { name: 'test_tool_with_logging', arguments: {} }
    assert.equal(logs((await rpc(running, modern('tools/call', params))).messages).length, 0)
    assert.equal(logs((await rpc(running, modern('tools/call', params, level('debug')))).messages).length, 3)
    assert.equal(logs((await rpc(running, modern('tools/call', params, level('error')))).messages).length, 0)
  },
)

test('a 2025 client gets them on the stream of its call, from the level its session has set', TIMEOUT, async () => {
  const session = await openSession(running)
  const sent = { headers: session.headers, body: call('tools/call', { name: 'test_tool_with_logging', arguments: {} }) }
  assert.equal(logs((await rpc(running, sent)).messages).length, 3)
  const set = await rpc(running, { headers: session.headers, body: call('logging/setLevel', { level: 'error' }) })
  assert.equal(set.status, 200)
  assert.equal(logs((await rpc(running, sent)).messages).length, 0)
})

test('whatever a tool, a resource or a prompt throws, the client reads no detail of it', TIMEOUT, async () => {
  const session = await openSession(running, { path: '/broken/mcp' })
  const requests = [
    ['tools/call', { name: 'throw', arguments: {} }],
    ['resources/read', { uri: 'broken://resource' }],
    ['prompts/get', { name: 'broken' }],
  ] as const
  for (const [method, params] of requests) {
    for (const sent of [modern(method, params), { headers: session.headers, body: call(method, params) }]) {
      const answer = await rpc(running, { path: '/broken/mcp', ...sent })
      assert.equal(answer.status, 200)
      assert.ok(!answer.text.includes('secret'), answer.text)
      const failed = at(answer.messages.at(-1), 'result.isError') ?? at(answer.messages.at(-1), 'error.code')
      assert.equal(failed, method === 'tools/call' ? true : -32603, answer.text)
    }
  }
})

test('an unknown resource and an unknown prompt are invalid parameters in both eras', TIMEOUT, async () => {
  const session = await openSession(running)
  for (const [method, params] of [
    ['resources/read', { uri: 'test://nowhere' }],
    ['prompts/get', { name: 'nowhere' }],
    ['prompts/get', { name: 'test_prompt_with_arguments', arguments: { arg1: 'only' } }],
    ['completion/complete', { ref: { type: 'ref/prompt', name: 'nowhere' }, argument: { name: 'a', value: '' } }],
    ['resources/list', { cursor: 'made up' }],
  ] as const) {
    for (const sent of [modern(method, params), { headers: session.headers, body: call(method, params) }]) {
      const answer = await rpc(running, sent)
      assert.equal(at(answer.messages.at(-1), 'error.code'), -32602, `${method} ${answer.text}`)
    }
  }
})

test(
  'a client without streams is told at once that it cannot be asked, instead of being left to wait',
  TIMEOUT,
  async () => {
    const session = await openSession(running, { capabilities: { elicitation: {}, sampling: {} } })
    const headers = { ...session.headers, accept: 'application/json' }
    const tool = await rpc(running, {
      headers,
      body: call('tools/call', { name: 'test_elicitation', arguments: { message: 'x' } }),
    })
    assert.equal(at(tool.messages[0], 'result.isError'), true)
    assert.match(tool.text, /text\/event-stream/)
    const prompt = await rpc(running, {
      headers,
      body: call('prompts/get', { name: 'test_input_required_result_prompt' }),
    })
    assert.equal(at(prompt.messages[0], 'error.code'), -32600)
  },
)

test('resources and prompts are read with the trace context that the request came with', TIMEOUT, async (t) => {
  const traces: (string | undefined)[] = []
  const tracing = await startApp(
    {},
    {
      servers: [conformanceServer],
      observers: [{ id: 'traces', onStart: ({ trace }) => void traces.push(trace?.traceId) }],
    },
  )
  t.after(() => tracing.close())
  const session = await openSession(tracing)
  const traceId = '0af7651916cd43dd8448eb211c80319c'
  const traceparent = `00-${traceId}-b7ad6b7169203331-01`
  for (const [method, params] of [
    ['resources/read', { uri: 'test://static-text' }],
    ['prompts/get', { name: 'test_simple_prompt' }],
  ] as const) {
    await rpc(tracing, { headers: session.headers, body: call(method, { ...params, _meta: { traceparent } }) })
    await rpc(tracing, modern(method, params, { meta: { traceparent } }))
  }
  assert.deepEqual(traces, [traceId, traceId, traceId, traceId])
})
