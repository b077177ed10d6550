// The ledger against what clients saw: every figure is recounted from the bodies that came over HTTP, in both eras, whichever
// way they were answered.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { encode } from 'gpt-tokenizer/encoding/o200k_base'
import { wireOf } from '../../../plugins/mcp/index.ts'
import { readLedger, type LedgerLine } from '../../../src/db/context-ledger.ts'
import { DAY_MS } from '../../../src/lib/time.ts'
import { dateOf, dayOf } from '../../../src/runtime/ledger/tally.ts'
import { servers } from '../../../src/servers/index.ts'
import { at, call, modern, open, openSession, rpc, type Target } from '../../fixtures/rpc.ts'
import { startApp, type RunningApp } from '../../fixtures/running-app.ts'
import { surfaceBeside } from '../../fixtures/surface/index.ts'
import { ownedApp } from '../../security/owned-app.ts'
import { connect, newClient } from '../oauth/client.ts'

const timeout = 60_000
const START = Date.parse('2026-03-31T12:00:00Z')

async function start(t: TestContext) {
  const clock = { at: START, now: () => clock.at }
  const running = await startApp({}, { servers: surfaceBeside(servers), clock })
  t.after(() => running.close())
  const clientOf = async (name: string, scopes?: readonly string[]): Promise<Target> => {
    const { secret } = await running.app.tokens.create(scopes === undefined ? { name } : { name, scopes })
    return { port: running.port, token: secret }
  }
  return { running, clock, clientOf }
}

const sizeOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value))

/** The tools in the body of an answer. */
function toolsIn(message: unknown): unknown[] {
  const tools = at(message, 'result.tools')
  assert.ok(Array.isArray(tools), JSON.stringify(message))
  return tools
}

/** What a model reads of a reply: its texts, or what is said of a tool that does not exist. */
function readIn(message: unknown): number {
  const content = at(message, 'result.content')
  if (!Array.isArray(content)) return Buffer.byteLength(String(at(message, 'error.message')))
  assert.equal(at(message, 'result.structuredContent'), undefined)
  return content.reduce<number>((sum, block) => sum + Buffer.byteLength(String(at(block, 'text'))), 0)
}

/** One client's way to ask: how a request goes out and its answer comes back. */
type Ask = (mount: string, method: string, params?: Record<string, unknown>) => Promise<unknown>

const ROUTER_CALLS: readonly (readonly [kind: 'discover' | 'error' | 'reply', name: string, args: object])[] = [
  ['discover', 'crow_discover', {}],
  ['discover', 'crow_discover', { query: 'remember' }],
  ['error', 'crow_discover', { category: 'nowhere' }],
  ['error', 'crow_memory', { action: 'stor_memory', params: { content: 'Zürich' } }],
  ['error', 'crow_memory', { action: 'search_memories' }],
  ['error', 'crow_memroy', { action: 'memory_stats' }],
  ['reply', 'crow_memory', { action: 'memory_stats' }],
]

type Sums = Omit<LedgerLine, 'day' | 'caller' | 'client'>

/** Asks for lists and calls at two mounts, and counts what comes. */
async function useBoth(ask: Ask, direct: readonly unknown[]): Promise<Record<string, Sums>> {
  const router = toolsIn(await ask('router', 'tools/list'))
  const counted = { discover: 0, error: 0, reply: 0 }
  const bytes = { ...counted }
  for (const [kind, name, args] of ROUTER_CALLS) {
    counted[kind]++
    bytes[kind] += readIn(await ask('router', 'tools/call', { name, arguments: args }))
  }
  const memory = toolsIn(await ask('memory', 'tools/list'))
  const failed = await ask('memory', 'tools/call', { name: 'crow_search_memories', arguments: {} })
  assert.equal(at(failed, 'result.isError'), true)
  return {
    router: {
      mount: 'router',
      lists: 1,
      listBytes: sizeOf(router),
      directBytes: sizeOf(direct),
      discovers: counted.discover,
      discoverBytes: bytes.discover,
      errors: counted.error,
      errorBytes: bytes.error,
      replies: counted.reply,
      replyBytes: bytes.reply,
    },
    memory: {
      mount: 'memory',
      lists: 1,
      listBytes: sizeOf(memory),
      directBytes: sizeOf(memory),
      discovers: 0,
      discoverBytes: 0,
      errors: 0,
      errorBytes: 0,
      replies: 1,
      replyBytes: readIn(failed),
    },
  }
}

const modernAsk =
  (to: Target): Ask =>
  async (mount, method, params) =>
    (await rpc(to, { path: `/${mount}/mcp`, ...modern(method, params) })).messages.at(-1)

async function sessionAsk(to: Target): Promise<Ask> {
  const headers = new Map<string, Record<string, string>>()
  for (const mount of ['router', 'memory'])
    headers.set(mount, { ...(await openSession(to, { path: `/${mount}/mcp` })).headers })
  return async (mount, method, params) =>
    (
      await rpc(to, { path: `/${mount}/mcp`, headers: headers.get(mount) ?? {}, body: call(method, params) })
    ).messages.at(-1)
}

/** The transport of 2024-11-05: answers come on the stream. */
async function streamAsk(t: TestContext, to: Target): Promise<Ask> {
  let id = 100
  const streams = new Map<string, Awaited<ReturnType<typeof open>>>()
  const paths = new Map<string, string>()
  const post = (mount: string, body: object) => rpc(to, { path: paths.get(mount) ?? '', body })
  for (const mount of ['router', 'memory']) {
    const stream = await open(to, { method: 'GET', path: `/${mount}/sse` })
    t.after(() => stream.abort())
    while (!/^data: \//m.test(stream.text())) await new Promise((resolve) => setImmediate(resolve))
    streams.set(mount, stream)
    paths.set(mount, /^data: (\/.*)$/m.exec(stream.text())?.[1] ?? '')
    const clientInfo = { name: 'test', version: '1' }
    const opening = { protocolVersion: '2024-11-05', capabilities: {}, clientInfo }
    await post(mount, call('initialize', opening, 'init'))
    await stream.until((message) => at(message, 'id') === 'init')
    await post(mount, { jsonrpc: '2.0', method: 'notifications/initialized' })
  }
  return async (mount, method, params) => {
    const own = id++
    await post(mount, call(method, params, own))
    return streams.get(mount)?.until((message) => at(message, 'id') === own)
  }
}

/** Every tool of this client by itself, as the mounts of the single servers list them. */
async function directTools({ app }: RunningApp, to: Target, count: (mount: string, bytes: number) => void) {
  const all: unknown[] = []
  for (const { id, derived, mount } of app.catalog.servers) {
    if (derived) continue
    const answer = await rpc(to, { path: `${mount}/mcp`, ...modern('tools/list') })
    if (answer.status === 403) continue
    const tools = toolsIn(answer.messages[0])
    count(id, sizeOf(tools))
    all.push(...tools)
  }
  return all
}

async function written({ app }: RunningApp): Promise<LedgerLine[]> {
  await app.gateway.ledger.flush()
  return readLedger(app.database, { since: 0 })
}

async function read(to: Target, mount: string): Promise<string> {
  const params = { uri: 'crow://ledger' }
  const { messages } = await rpc(to, { path: `/${mount}/mcp`, ...modern('resources/read', params) })
  const contents = at(messages[0], 'result.contents')
  assert.ok(Array.isArray(contents), JSON.stringify(messages))
  return String(at(contents[0], 'text'))
}

test('the ledger has exactly the bytes that each client saw, on every way to it', { timeout }, async (t) => {
  const { running, clock, clientOf } = await start(t)
  const { app } = running
  let looking = 0
  const readers = [await clientOf('everything'), await clientOf('some', ['memory', 'blog:read'])]
  const direct = [
    await directTools(running, readers[0] ?? { port: 0, token: '' }, () => looking++),
    await directTools(running, readers[1] ?? { port: 0, token: '' }, () => looking++),
  ]
  assert.equal((await written(running)).length, looking)
  const setHot = (isHot: boolean): void => {
    for (const id of ['router', 'memory']) wireOf(app).endpoint(id).hot.counters.enabled = isHot
  }
  for (const [index, to] of readers.entries()) {
    const ways = [modernAsk(to), await sessionAsk(to), await streamAsk(t, to)]
    for (const isHot of [true, false]) {
      setHot(isHot)
      for (const [way, ask] of ways.entries()) {
        clock.at += DAY_MS
        const seen = await useBoth(ask, direct[index] ?? [])
        const lines = (await written(running)).filter(({ day }) => day === dayOf(clock.at))
        const where = `${index} ${way} ${isHot}`
        const client = index === 0 ? 'everything' : 'some'
        assert.deepEqual([...new Set(lines.map((line) => line.client))], [client], where)
        for (const { day: _day, caller, client: _client, ...sums } of lines) {
          assert.equal(caller, `local:${index + 2}`)
          assert.deepEqual(sums, seen[sums.mount], where)
        }
        assert.equal(lines.length, 2, where)
      }
    }
  }
})

test('a client reads its own days, the owner those of all, and in few tokens', { timeout }, async (t) => {
  const { running, clock, clientOf } = await start(t)
  const clients = await Promise.all(
    [...Array(4).keys()].map((index) => clientOf(`claude-desktop-${index}`, index === 0 ? ['memory:read'] : undefined)),
  )
  for (let day = 0; day < 7; day++) {
    for (const [index, to] of clients.entries()) {
      const ask = modernAsk(to)
      for (let list = 0; list <= index; list++) await ask('router', 'tools/list')
      await ask('router', 'tools/call', { name: 'crow_discover', arguments: { category: 'memory' } })
      await ask('router', 'tools/call', { name: 'crow_memory', arguments: { action: 'search_memories' } })
    }
    await running.app.gateway.ledger.flush()
    if (day < 6) clock.at += DAY_MS
  }
  const [small = { port: 0, token: '' }, owner = small] = clients
  const own = await read(small, 'router')
  assert.equal(await read(small, 'memory'), own)
  assert.doesNotMatch(own, /claude/)
  assert.match(own, new RegExp(`^${dateOf(dayOf(clock.at)).slice(5)} 1 ~`, 'm'))
  const all = await read(owner, 'memory')
  assert.match(all, /^claude-desktop-3 28 ~.* ~/m)
  assert.match(all, /^all 70 /m)
  for (const text of [own, all]) {
    t.diagnostic(`${encode(text).length} tokens`)
    assert.ok(encode(text).length <= 300, `${encode(text).length} tokens: ${text}`)
    assert.doesNotMatch(text, /task|better|success/i)
  }
  clock.at += 8 * DAY_MS
  assert.match(await read(small, 'router'), /^No list of tools was sent in 7 days to/)
})

test('clients that call themselves alike are told apart, and neither reads of the other', { timeout }, async (t) => {
  const gateway = await ownedApp(t)
  const resource = `${gateway.origin}/router/mcp`
  const connected = async (): Promise<Target> => {
    const client = await newClient(gateway)
    const { access } = await connect(gateway, client, { at: { resource, scope: 'memory:read' } })
    return { port: gateway.port, token: access }
  }
  const [one, other] = [await connected(), await connected()]
  for (const to of [one, other, other]) await modernAsk(to)('router', 'tools/list')
  const lines = await written(gateway)
  assert.deepEqual(
    lines.map(({ caller, client, mount, lists }) => [caller, client, mount, lists]),
    [
      ['oauth:1', 'Probe', 'router', 1],
      ['oauth:2', 'Probe', 'router', 2],
    ],
  )
  assert.match(await read(one, 'router'), /^\d\d-\d\d 1 /m)
  assert.match(await read(other, 'router'), /^\d\d-\d\d 2 /m)
})
