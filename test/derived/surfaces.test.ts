// Every tool gives one answer, whichever way it is called: its own mount or the router, in either protocol era.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { servers } from '../../src/servers/index.ts'
import { everyone } from '../../src/runtime/compile-server.ts'
import { at, call, modern, openSession, rpc, type Received } from '../fixtures/rpc.ts'
import { callOf, readActions, seeded } from '../fixtures/notation.ts'
import { startApp } from '../fixtures/running-app.ts'
import { surfaceBeside } from '../fixtures/surface/index.ts'
import { foreignServer, mutableSource } from '../fixtures/surface/mutable-source.ts'

const timeout = 120_000

/** What changes with every call, and nothing else. */
const steady = (text: string): string =>
  text
    .replaceAll(/\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?Z?/g, '<time>')
    .replaceAll(/confirm_token \\"[\w.-]+/g, 'confirm_token <token>')
    .replaceAll(/\bid \d+|"id":\d+|#\d+/g, '<id>')

const contentOf = ({ messages, text }: Received): string => {
  const content = at(messages.at(-1), 'result.content')
  assert.ok(Array.isArray(content), text)
  return steady(JSON.stringify(content))
}

test('a tool answers the same through its mount and through the router, in both eras', { timeout }, async (t) => {
  const source = mutableSource()
  const running = await startApp({}, { servers: [...surfaceBeside(servers), foreignServer(source)] })
  t.after(() => running.close())
  const to = { port: running.port, token: running.token }
  const { catalog } = running.app
  const random = seeded(11)
  const routed = await openSession(to, { path: '/router/mcp' })
  let compared = 0
  for (const listed of readActions(catalog.listTools('router', everyone))) {
    const id = listed.tool.replace('crow_', '')
    const server = catalog.server(id)
    // Foreign tools are compared below: their server here is a fixture with another id.
    if (server === undefined || server.hasSources) continue
    const tool = server.find(listed.action, everyone)
    assert.ok(tool, `${listed.tool} ${listed.action}`)
    // What writes gets parameters that it refuses the same way twice, so that nothing is stored once more.
    const params = tool.effect === 'read' || id !== 'memory' ? callOf(listed, random) : {}
    const name = tool.publicName
    const direct = await rpc(to, { path: `${server.mount}/mcp`, ...modern('tools/call', { name, arguments: params }) })
    const inner = { name: listed.tool, arguments: { action: listed.action, params } }
    const through = await rpc(to, { path: '/router/mcp', ...modern('tools/call', inner) })
    const session = await rpc(to, {
      path: '/router/mcp',
      headers: routed.headers,
      body: call('tools/call', inner),
    })
    assert.equal(contentOf(session), contentOf(through), name)
    if (at(direct.messages.at(-1), 'result.isError') === true) {
      // The router adds the call that was meant; what is wrong is told in the same words.
      assert.equal(at(through.messages.at(-1), 'result.isError'), true, name)
      continue
    }
    assert.equal(contentOf(through), contentOf(direct), name)
    compared++
  }
  assert.ok(compared > 100, `${compared} tools were compared`)
})

test('a foreign tool answers the same through its mount and through crow_tools', { timeout }, async (t) => {
  const source = mutableSource()
  const running = await startApp({}, { servers: [foreignServer(source)] })
  t.after(() => running.close())
  const to = { port: running.port, token: running.token }
  for (const name of source.names) {
    const direct = await rpc(to, { path: '/github/mcp', ...modern('tools/call', { name, arguments: {} }) })
    const routed = { name: 'crow_tools', arguments: { action: name, params: {} } }
    const through = await rpc(to, { path: '/router/mcp', ...modern('tools/call', routed) })
    assert.equal(contentOf(through), contentOf(direct), name)
  }
  const called = source.names.filter((name) => source.effect?.(name) !== 'destroy')
  assert.deepEqual(
    source.calls.map(({ name }) => name),
    called.flatMap((name) => [name, name]),
  )
})
