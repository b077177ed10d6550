// External servers to a client on standard input and output, directly and through `core`, and on the transport of 2024-11-05.
import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { test, type TestContext } from 'node:test'
import { serveStdioServer } from '../../src/mcp/stdio.ts'
import { compileCatalog } from '../../src/runtime/catalog.ts'
import { createCore } from '../../src/runtime/core/core.ts'
import { toolsServer } from '../../src/upstream/tools-server.ts'
import { externalApp } from '../fixtures/external/app.ts'
import { NOTE, READ } from '../fixtures/external/content.ts'
import { VIEW } from '../fixtures/external/replies.ts'
import { externalSource, tool } from '../fixtures/external/source.ts'
import { at, call, initialize, modern } from '../fixtures/rpc.ts'
import { startSse } from '../fixtures/sse.ts'
import { until } from '../fixtures/until.ts'

const TIMEOUT = { timeout: 30_000 }
const NOTE_URI = String(NOTE['uri'])
const CAN = { elicitation: {} }
const ANSWER = { action: 'accept', content: { one: 'x' } }

interface Pipe {
  send(...messages: unknown[]): void
  until(passes: (message: unknown) => boolean): Promise<unknown>
  seen(): readonly unknown[]
}

/** A client of a server in this process, over a pair of pipes. */
function pipe(t: TestContext, served: string) {
  const source = externalSource()
  const own = compileCatalog([toolsServer(source)])
  source.tell(own.bus)
  const { catalog } = createCore(own, { defaultServer: 'tools' })
  const [input, output, stop] = [new PassThrough(), new PassThrough(), new AbortController()]
  let text = ''
  output.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
  const caller = { id: 'stdio', kind: 'stdio', scopes: 'all' } as const
  const over = serveStdioServer(catalog, served, { caller, eras: 'both', input, output, signal: stop.signal })
  t.after(async () => {
    stop.abort()
    await over
  })
  const seen = (): readonly unknown[] =>
    text
      .split('\n')
      .slice(0, -1)
      .map((line): unknown => JSON.parse(line))
  const client: Pipe = {
    seen,
    send: (...messages) => void input.write(messages.map((message) => `${JSON.stringify(message)}\n`).join('')),
    async until(passes) {
      await until(() => seen().some(passes), `a message in ${text}`)
      return seen().find(passes)
    },
  }
  return { source, client, end: () => input.end(), over }
}

const isMethod = (method: string) => (message: unknown) => at(message, 'method') === method
const answers = (id: unknown) => (message: unknown) => at(message, 'id') === id && at(message, 'method') === undefined
const fresh = (method: string, params: Record<string, unknown>, id: unknown): unknown =>
  modern(method, params, { id, capabilities: CAN }).body

for (const served of ['tools', 'core'])
  test(`${served} over stdio, 2025: results whole, a question asked, a resource watched`, TIMEOUT, async (t) => {
    const { source, client, end, over } = pipe(t, served)
    client.send(initialize(CAN), { jsonrpc: '2.0', method: 'notifications/initialized' })
    client.send(call('tools/call', { name: 'files_view' }, 1), call('resources/read', { uri: NOTE_URI }, 2))
    assert.deepEqual(at(await client.until(answers(1)), 'result'), VIEW)
    assert.deepEqual(at(await client.until(answers(2)), 'result'), READ)
    client.send(call('tools/call', { name: 'files_ask' }, 3))
    const question = await client.until(isMethod('elicitation/create'))
    client.send({ jsonrpc: '2.0', id: at(question, 'id'), result: ANSWER })
    const done = await client.until(answers(3))
    assert.equal(at(done, 'result.content.0.text'), `parked ${JSON.stringify(ANSWER)}`)
    client.send(call('tools/list', undefined, 4))
    assert.match(JSON.stringify(await client.until(answers(4))), /files_chat/)
    client.send(call('resources/subscribe', { uri: NOTE_URI }, 5))
    await client.until(answers(5))
    source.content.touch(NOTE_URI)
    await client.until(isMethod('notifications/resources/updated'))
    source.add(tool('files_late'))
    await client.until(isMethod('notifications/tools/list_changed'))
    end()
    await over
    assert.equal(source.content.watched.size, 0)
  })

for (const served of ['tools', 'core'])
  test(
    `${served} over stdio, 2026: results whole, a question in rounds, a resource listened for`,
    TIMEOUT,
    async (t) => {
      const { source, client } = pipe(t, served)
      client.send(fresh('tools/call', { name: 'files_ask' }, 1))
      const asked = await client.until(answers(1))
      assert.equal(at(asked, 'result.resultType'), 'input_required')
      const round = { inputResponses: { q: ANSWER }, requestState: at(asked, 'result.requestState') }
      client.send(fresh('tools/call', { name: 'files_ask', ...round }, 2))
      const done = await client.until(answers(2))
      assert.equal(at(done, 'result.content.0.text'), `parked ${JSON.stringify(ANSWER)}`)
      client.send(fresh('tools/call', { name: 'files_view' }, 3))
      assert.deepEqual(at(await client.until(answers(3)), 'result.content'), VIEW.content)
      const notifications = { resourceSubscriptions: [NOTE_URI], toolsListChanged: true }
      client.send(fresh('subscriptions/listen', { notifications }, 'sub'))
      await client.until(isMethod('notifications/subscriptions/acknowledged'))
      assert.deepEqual([...source.content.watched], [NOTE_URI])
      source.content.touch(NOTE_URI)
      await client.until(isMethod('notifications/resources/updated'))
      source.add(tool('files_late'))
      await client.until(isMethod('notifications/tools/list_changed'))
      client.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'sub' } })
      await until(() => source.content.watched.size === 0)
    },
  )

test('a call that takes long at its server holds up nothing else on the pipe', TIMEOUT, async (t) => {
  const { source, client } = pipe(t, 'core')
  client.send(initialize(CAN), { jsonrpc: '2.0', method: 'notifications/initialized' })
  client.send(call('tools/call', { name: 'files_wait' }, 1), call('tools/call', { name: 'github_search' }, 2))
  client.send(call('resources/read', { uri: NOTE_URI }, 3), call('tools/call', { name: 'crow_server_status' }, 4))
  const begun = performance.now()
  for (const id of [2, 3, 4]) await client.until(answers(id))
  assert.ok(performance.now() - begun < 5_000)
  assert.ok(!client.seen().some(answers(1)))
  source.release()
  await client.until(answers(1))
})

test('on the transport of 2024-11-05 a call asks, talks and answers on its one stream', TIMEOUT, async (t) => {
  const { running, source } = await externalApp(t)
  const client = await startSse(running, '/tools/sse', CAN)
  assert.deepEqual(at(await client.ask('tools/call', { name: 'files_view' }, 1), 'result'), VIEW)
  await client.post(call('tools/call', { name: 'files_ask' }, 2))
  const question = await client.stream.until(isMethod('elicitation/create'))
  await client.post({ jsonrpc: '2.0', id: at(question, 'id'), result: ANSWER })
  const done = await client.stream.until(answers(2))
  assert.equal(at(done, 'result.content.0.text'), `parked ${JSON.stringify(ANSWER)}`)
  await client.ask('resources/subscribe', { uri: NOTE_URI }, 3)
  source.content.touch(NOTE_URI)
  await client.stream.until(isMethod('notifications/resources/updated'))
  client.stream.abort()
  await until(() => source.content.watched.size === 0)
})
