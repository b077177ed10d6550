// Real SDK clients of both lines against the real gateway over HTTP: the older line, the newer one in every way it can choose
// an era, and both over the transport of 2024-11-05.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  Client as ModernClient,
  SSEClientTransport as ModernSse,
  StreamableHTTPClientTransport as ModernTransport,
} from '@modelcontextprotocol/client'
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js'
import { SSEClientTransport as OldSse } from '@modelcontextprotocol/sdk/client/sse.js'
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { ElicitRequestSchema, ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js'
import { wireOf } from '../../plugins/mcp/index.ts'
import { startApp, type RunningApp } from '../fixtures/running-app.ts'
import { until } from '../fixtures/until.ts'
import { wireServer, type WireServer } from '../fixtures/wire-server.ts'

const TIMEOUT = { timeout: 60_000 }
const INFO = { name: 'test-client', version: '1.0.0' }
const TEXT = 'Grüße aus Zürich: naïve café, 漢字, 🚀'

let running: RunningApp
let wire: WireServer
let old: RunningApp

before(async () => {
  wire = wireServer()
  running = await startApp({}, { servers: [wire.definition] })
  old = await startApp({ CROW_ERAS: '2025' }, { servers: [wireServer().definition] })
})
after(async () => {
  await running.close()
  await old.close()
})

const url = (to: RunningApp, path: string): URL => new URL(path, to.origin)
const memoryTools = ({ app }: RunningApp): number | undefined => app.catalog.server('memory')?.tools.length
const requestInit = (to: RunningApp) => ({ headers: { authorization: `Bearer ${to.token}` } })

/** The first text of a tool result of either SDK. */
function textOf(result: object): string {
  const content: unknown = Reflect.get(result, 'content')
  const first: unknown = Array.isArray(content) ? content[0] : undefined
  const text: unknown = typeof first === 'object' && first !== null ? Reflect.get(first, 'text') : undefined
  return typeof text === 'string' ? text : ''
}

async function oldClient(to: RunningApp, path: string, capabilities: object = {}) {
  const client = new OldClient(INFO, { capabilities })
  const transport = new OldTransport(url(to, path), { requestInit: requestInit(to) })
  await client.connect(transport)
  return { client, transport }
}

async function modernClient(
  to: RunningApp,
  path: string,
  mode: 'auto' | 'legacy' | { pin: string },
  capabilities: object = {},
) {
  const client = new ModernClient(INFO, { capabilities, versionNegotiation: { mode } })
  await client.connect(new ModernTransport(url(to, path), { requestInit: requestInit(to) }))
  return client
}

test('the older client stores and recalls a memory, and what it stored survives its session', TIMEOUT, async () => {
  const { client, transport } = await oldClient(running, '/memory/mcp')
  const { tools } = await client.listTools()
  assert.equal(tools.length, memoryTools(running))
  assert.ok(tools.every(({ name }) => name.startsWith('crow_')))
  const stored = await client.callTool({ name: 'crow_store_memory', arguments: { content: TEXT } })
  assert.notEqual(stored.isError, true, textOf(stored))
  await transport.terminateSession()
  await client.close()

  const second = await oldClient(running, '/mcp')
  const listed = await second.client.callTool({ name: 'crow_list_memories', arguments: {} })
  assert.ok(textOf(listed).includes(TEXT), textOf(listed))
  await second.client.ping()
  await second.client.close()
})

test('the newer client speaks the newer era when it may choose, and when it insists', TIMEOUT, async () => {
  for (const mode of ['auto', { pin: '2026-07-28' }] as const) {
    const client = await modernClient(running, '/memory/mcp', mode)
    assert.equal(client.getNegotiatedProtocolVersion(), '2026-07-28')
    const { tools } = await client.listTools()
    assert.equal(tools.length, memoryTools(running))
    const stored = await client.callTool({
      name: 'crow_store_memory',
      arguments: { content: `${TEXT} ${JSON.stringify(mode)}` },
    })
    assert.notEqual(stored.isError, true, textOf(stored))
    const { resources } = await client.listResources()
    assert.ok(resources.some(({ uri }) => uri === 'memory://categories'))
    const read = await client.readResource({ uri: 'memory://categories' })
    assert.equal(read.contents.length, 1)
    const { prompts } = await client.listPrompts()
    assert.deepEqual(
      prompts.map(({ name }) => name),
      ['session-start', 'crow-guide'],
    )
    await client.close()
  }
})

test('the newer client falls back to a session where only the older era is served', TIMEOUT, async () => {
  for (const mode of ['auto', 'legacy'] as const) {
    const client = await modernClient(old, '/wire/mcp', mode)
    assert.equal(client.getNegotiatedProtocolVersion(), '2025-11-25')
    const answer = await client.callTool({ name: 'echo', arguments: { text: TEXT } })
    assert.equal(textOf(answer), TEXT)
    await client.close()
  }
  const client = await modernClient(running, '/wire/mcp', 'legacy')
  assert.equal(textOf(await client.callTool({ name: 'echo', arguments: { text: TEXT } })), TEXT)
  await client.close()
})

test('a client that insists on the newer era is refused where it is off', TIMEOUT, async () => {
  await assert.rejects(modernClient(old, '/wire/mcp', { pin: '2026-07-28' }))
})

test('progress reaches the caller in both lines', TIMEOUT, async () => {
  const { client } = await oldClient(running, '/wire/mcp')
  const modern = await modernClient(running, '/wire/mcp', { pin: '2026-07-28' })
  const seen: number[] = []
  const onprogress = ({ progress }: { progress: number }): void => {
    seen.push(progress)
    wire.release()
  }
  const params = { name: 'wait', arguments: { name: 'progress' } }
  assert.equal(textOf(await client.callTool(params, undefined, { onprogress })), 'done progress')
  assert.equal(textOf(await modern.callTool(params, { onprogress })), 'done progress')
  assert.deepEqual(seen, [1, 1])
  await client.close()
  await modern.close()
})

test('both lines ask their person before something is destroyed', TIMEOUT, async () => {
  const { client } = await oldClient(running, '/wire/mcp', { elicitation: {} })
  client.setRequestHandler(ElicitRequestSchema, () => ({ action: 'accept', content: { confirm: true } }))
  assert.equal(textOf(await client.callTool({ name: 'forget', arguments: { id: 21 } })), 'forgot 21')
  await client.close()

  for (const mode of ['legacy', { pin: '2026-07-28' }] as const) {
    const modern = new ModernClient(INFO, { capabilities: { elicitation: {} }, versionNegotiation: { mode } })
    modern.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: { confirm: true } }))
    await modern.connect(new ModernTransport(url(running, '/wire/mcp'), { requestInit: requestInit(running) }))
    assert.equal(textOf(await modern.callTool({ name: 'forget', arguments: { id: 22 } })), 'forgot 22')
    await modern.close()
  }
  assert.deepEqual(wire.forgotten, [21, 22, 22])
})

test('a changed tool list is announced to the older client on its own stream', TIMEOUT, async () => {
  const { streams } = wireOf(running.app)
  await until(() => streams.open === 0)
  const { client } = await oldClient(running, '/wire/mcp')
  const told = new Promise<void>((resolve) =>
    client.setNotificationHandler(ToolListChangedNotificationSchema, () => resolve()),
  )
  await until(() => streams.open === 1)
  running.app.bus.emit({ kind: 'tools' })
  await told
  await client.close()
})

test('calls of many clients with the same ids never get each other’s answers', TIMEOUT, async () => {
  const clients = await Promise.all(
    Array.from({ length: 8 }, () => modernClient(running, '/wire/mcp', { pin: '2026-07-28' })),
  )
  const answers = await Promise.all(
    clients.flatMap((client, index) =>
      Array.from({ length: 10 }, async (_, turn) => {
        const text = `${index}-${turn}`
        return textOf(await client.callTool({ name: 'echo', arguments: { text } })) === text
      }),
    ),
  )
  assert.ok(answers.every(Boolean))
  await Promise.all(clients.map((client) => client.close()))
})

const yes = () => ({ action: 'accept' as const, content: { confirm: true } })

test('both lines work over the transport of 2024-11-05', TIMEOUT, async (t) => {
  const older = new OldClient(INFO, { capabilities: { elicitation: {} } })
  const modern = new ModernClient(INFO, { capabilities: { elicitation: {} }, versionNegotiation: { mode: 'legacy' } })
  t.after(() => Promise.all([older.close(), modern.close()]))
  older.setRequestHandler(ElicitRequestSchema, yes)
  modern.setRequestHandler('elicitation/create', yes)
  await older.connect(new OldSse(url(running, '/wire/sse'), { requestInit: requestInit(running) }))
  await modern.connect(new ModernSse(url(running, '/wire/sse'), { requestInit: requestInit(running) }))
  const run = async (name: string, args: Record<string, unknown>, options: object = {}) => [
    textOf(await older.callTool({ name, arguments: args }, undefined, { timeout: 5_000, ...options })),
    textOf(await modern.callTool({ name, arguments: args }, { timeout: 5_000, ...options })),
  ]
  assert.deepEqual(await run('echo', { text: TEXT }), [TEXT, TEXT])
  assert.deepEqual(await run('forget', { id: 31 }), ['forgot 31', 'forgot 31'])
  assert.deepEqual(await run('wait', { name: 'sse' }, { onprogress: () => wire.release() }), ['done sse', 'done sse'])
  const told = new Promise<void>((resolve) =>
    older.setNotificationHandler(ToolListChangedNotificationSchema, () => resolve()),
  )
  running.app.bus.emit({ kind: 'tools' })
  await told
  const leaving = new AbortController()
  const params = { name: 'wait', arguments: { name: 'left' } }
  const cancelled = older.callTool(params, undefined, { signal: leaving.signal, onprogress: () => leaving.abort() })
  await assert.rejects(cancelled)
  await until(() => wire.aborted.includes('left'))
})

test('a client whose session is gone starts over on its 404', TIMEOUT, async () => {
  const { client } = await oldClient(running, '/wire/mcp')
  await wireOf(running.app).sessions.close()
  await assert.rejects(client.callTool({ name: 'echo', arguments: { text: 'x' } }), /404|Session not found/)
  const again = await oldClient(running, '/wire/mcp')
  assert.equal(textOf(await again.client.callTool({ name: 'echo', arguments: { text: 'x' } })), 'x')
  await again.client.close()
})
