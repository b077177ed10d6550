// Behind the router are servers that change and calls that somebody takes back: what a client is told of it, and what reaches the
// server it concerns.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { ToolContext } from '../../../src/runtime/context.ts'
import { reply } from '../../../src/runtime/reply.ts'
import type { ToolSource } from '../../../src/runtime/source.ts'
import { rpcThatLeaves } from '../../fixtures/leaving.ts'
import { at, call, modern, open, openSession, rpc, type OpenSession, type Stream } from '../../fixtures/rpc.ts'
import { startApp, type RunningApp } from '../../fixtures/running-app.ts'
import { foreignServer, mutableSource } from '../../fixtures/surface/mutable-source.ts'
import { until } from '../../fixtures/until.ts'
import { wireServer } from '../../fixtures/wire-server.ts'

const timeout = 30_000
const PATH = '/router/mcp'

const tool = (name: string) => ({
  effect: 'read' as const,
  definition: { name, description: `Does ${name}.`, inputSchema: { type: 'object' } },
})

const isChange = (message: unknown) => at(message, 'method') === 'notifications/tools/list_changed'
const changesIn = (stream: Stream): number => stream.text().split('tools/list_changed').length - 1

test(
  'a connected client hears that tools were added, or are others, and router and discovery show them',
  { timeout },
  async (t) => {
    const source = mutableSource('upstream', [tool('early')])
    const running = await startApp({}, { servers: [foreignServer(source)] })
    t.after(() => running.close())
    const session = await openSession(running, { path: PATH })
    const inSession = (method: string, params?: object) =>
      rpc(running, { path: PATH, headers: session.headers, body: call(method, params) })
    const shown = async (): Promise<string> => {
      const { messages } = await inSession('tools/list')
      const tools = at(messages.at(-1), 'result.tools')
      assert.ok(Array.isArray(tools))
      return String(
        at(
          tools.find((one) => at(one, 'name') === 'crow_tools'),
          'description',
        ),
      )
    }
    const discovered = async (): Promise<string> =>
      (await inSession('tools/call', { name: 'crow_discover', arguments: { category: 'tools' } })).text
    const stream = await open(running, { method: 'GET', path: PATH, headers: session.headers })
    const direct = await open(running, {
      path: '/upstream/mcp',
      ...modern('subscriptions/listen', { notifications: { toolsListChanged: true } }, { id: 'sub' }),
    })
    assert.match(await shown(), /^early$/m)

    source.add(tool('late_one'))
    running.app.bus.emit({ kind: 'tools' })
    await Promise.all([stream.until(isChange), direct.until(isChange)])
    assert.match(await shown(), /^late_one$/m)
    assert.match(await discovered(), /late_one/)

    // Killed, and started again with another tool only.
    for (const name of source.names) source.remove(name)
    source.add(tool('late_two'))
    running.app.bus.emit({ kind: 'tools' })
    await until(() => changesIn(stream) === 2 && changesIn(direct) === 2)
    for (const text of [await shown(), await discovered()]) {
      assert.match(text, /late_two/)
      assert.doesNotMatch(text, /early|late_one/)
    }
    const gone = await inSession('tools/call', { name: 'crow_tools', arguments: { action: 'early' } })
    assert.match(gone.text, /UNKNOWN_ACTION/)
  },
)

test('what a client is told when it connects says that the list may change', { timeout }, async (t) => {
  const running = await startApp()
  t.after(() => running.close())
  const body = call('initialize', {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'test', version: '1' },
  })
  const old = await rpc(running, { path: PATH, body })
  assert.equal(at(old.messages.at(-1), 'result.capabilities.tools.listChanged'), true)
  const fresh = await rpc(running, { path: PATH, ...modern('server/discover') })
  assert.equal(at(fresh.messages.at(-1), 'result.capabilities.tools.listChanged'), true)
})

interface Upstream extends ToolSource {
  /** Calls that run, and those that were told to stop. */
  readonly running: Set<string>
  readonly stopped: string[]
}

/** `slow_<id>` lasts until it is told to stop, `fast_<id>` answers at once. */
function upstream(id: string): Upstream {
  const running = new Set<string>()
  const stopped: string[] = []
  const names = [`slow_${id}`, `fast_${id}`]
  const lasting = (name: string, { signal }: ToolContext): Promise<never> =>
    new Promise((_resolve, reject) => {
      running.add(name)
      signal.addEventListener('abort', () => {
        running.delete(name)
        stopped.push(name)
        reject(new Error('told to stop'))
      })
    })
  return {
    id,
    epoch: 1,
    running,
    stopped,
    list: () => names.map((name) => tool(name).definition),
    effect: () => 'write',
    call: (name, _params, ctx) =>
      name.startsWith('slow_') ? lasting(name, ctx) : Promise.resolve(reply.text(name).reply),
  }
}

async function twoUpstreams(t: TestContext) {
  const [one, two] = [upstream('u1'), upstream('u2')]
  const running = await startApp({}, { servers: [foreignServer(one), foreignServer(two)] })
  t.after(() => running.close())
  const session = await openSession(running, { path: PATH })
  return { one, two, running, session }
}

const through = (action: string) => ({ name: 'crow_tools', arguments: { action } })

const cancel = (running: RunningApp, { headers }: OpenSession, requestId: unknown) =>
  rpc(running, {
    path: PATH,
    headers,
    body: { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } },
  })

test('a call through the router that is cancelled stops where it runs, and nowhere else', { timeout }, async (t) => {
  const { one, two, running, session } = await twoUpstreams(t)
  const send = (id: number, action: string) =>
    rpc(running, { path: PATH, headers: session.headers, body: call('tools/call', through(action), id) })
  const streamed = await open(running, { method: 'GET', path: PATH, headers: session.headers })
  const slow = send(101, 'slow_u1')
  const other = send(103, 'slow_u2')
  await until(() => one.running.size === 1 && two.running.size === 1)
  assert.match((await send(102, 'fast_u2')).text, /fast_u2/)
  // Nobody's call, and the number of one that has been answered: nothing happens.
  for (const id of [999, 102, 'slow_u1']) assert.equal((await cancel(running, session, id)).status, 202)
  assert.deepEqual([one.stopped, two.stopped], [[], []])

  const asked = performance.now()
  await cancel(running, session, 101)
  await until(() => one.stopped.length === 1)
  assert.ok(performance.now() - asked < 500)
  assert.deepEqual([one.stopped, two.stopped], [['slow_u1'], []])
  assert.doesNotMatch((await slow).text, /"id":101/)
  assert.doesNotMatch(streamed.text(), /"id":101/)
  await until(() => running.app.catalog.stats().active === 1)

  await cancel(running, session, 103)
  await other
  await until(() => running.app.catalog.stats().active === 0)
  assert.deepEqual(two.stopped, ['slow_u2'])
})

test('in 2026 a client that leaves takes back its call through the router', { timeout }, async (t) => {
  const { one, two, running } = await twoUpstreams(t)
  const impatient = rpcThatLeaves(running, { path: PATH, ...modern('tools/call', through('slow_u1'), { id: 101 }) })
  await until(() => one.running.size === 1)
  impatient.leave()
  await until(() => one.stopped.length === 1)
  assert.deepEqual(two.stopped, [])
  await until(() => running.app.catalog.stats().active === 0)
})

test('the same for a tool of the gateway itself, through its category', { timeout }, async (t) => {
  const wire = wireServer()
  const running = await startApp({}, { servers: [wire.definition] })
  t.after(() => running.close())
  const session = await openSession(running, { path: PATH })
  const params = { name: 'crow_wire', arguments: { action: 'wait', params: { name: 'routed' } } }
  const slow = rpc(running, { path: PATH, headers: session.headers, body: call('tools/call', params, 101) })
  await wire.started()
  await cancel(running, session, 101)
  await until(() => wire.aborted.includes('routed'))
  assert.equal((await slow).text, '')
  await until(() => running.app.catalog.stats().active === 0)
})
