// The router over HTTP: both eras, hot, with the scopes of the servers behind it and an audience of its own.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { wireOf } from '../../../plugins/mcp/index.ts'
import { servers } from '../../../src/servers/index.ts'
import { at, call, modern, openSession, rpc } from '../../fixtures/rpc.ts'
import { startApp } from '../../fixtures/running-app.ts'
import { surfaceBeside } from '../../fixtures/surface/index.ts'
import { connect, newClient } from '../oauth/client.ts'
import { ownedApp } from '../../security/owned-app.ts'

const timeout = 30_000
const PATH = '/router/mcp'

async function start(t: TestContext, scopes?: readonly string[]) {
  const running = await startApp({}, { servers: surfaceBeside(servers) })
  t.after(() => running.close())
  const token =
    scopes === undefined ? running.token : (await running.app.tokens.create({ name: 'scoped', scopes })).secret
  return { running, to: { port: running.port, token } }
}

const act = (tool: string, action: string, params: object = {}) => ({
  path: PATH,
  ...modern('tools/call', { name: tool, arguments: { action, params } }),
})

test('lists and calls are hot in both eras', { timeout }, async (t) => {
  const { running, to } = await start(t)
  const session = await openSession(to, { path: PATH })
  const { counters } = wireOf(running.app).endpoint('router').hot
  const before = counters.answered
  const inSession = (body: object) => rpc(to, { path: PATH, headers: session.headers, body })
  const inner = { name: 'crow_memory', arguments: { action: 'memory_stats' } }
  const answers = [
    await rpc(to, { path: PATH, ...modern('tools/list') }),
    await rpc(to, act('crow_memory', 'memory_stats')),
    await rpc(to, act('crow_memory', 'memry_stats')),
    await rpc(to, { path: PATH, ...modern('tools/call', { name: 'crow_discover', arguments: { query: 'notes' } }) }),
    await inSession(call('tools/list')),
    await inSession(call('tools/call', inner)),
  ]
  assert.deepEqual(
    answers.map(({ status }) => status),
    answers.map(() => 200),
  )
  assert.equal(counters.answered - before, answers.length)
})

test('a call beyond the scopes is 403 with the scope of the server behind', { timeout }, async (t) => {
  const { to } = await start(t, ['memory:read', 'blog'])
  const listed = await rpc(to, { path: PATH, ...modern('tools/list') })
  const tools = at(listed.messages[0], 'result.tools')
  assert.ok(Array.isArray(tools))
  const names = tools.map((tool) => at(tool, 'name'))
  assert.deepEqual(names, ['crow_memory', 'crow_blog', 'crow_tools', 'crow_discover'])
  assert.equal((await rpc(to, act('crow_memory', 'memory_stats'))).status, 200)
  assert.equal((await rpc(to, act('crow_blog', 'blog_stats'))).status, 200)
  const refused = await rpc(to, act('crow_memory', 'store_memory', { content: 'x' }))
  assert.equal(refused.status, 403)
  assert.match(refused.headers['www-authenticate'] ?? '', /error="insufficient_scope".*scope="memory"/)
  const other = await rpc(to, act('crow_projects', 'list_projects'))
  assert.equal(other.status, 403)
  assert.match(other.headers['www-authenticate'] ?? '', /scope="projects:read"/)
})

test('content of every server is offered by the router, to whoever may see that server', { timeout }, async (t) => {
  const { to } = await start(t)
  const listed = await rpc(to, { path: PATH, ...modern('resources/list') })
  assert.match(listed.text, /crow:\/\/context/)
  const read = await rpc(to, { path: PATH, ...modern('resources/read', { uri: 'crow://context' }) })
  assert.ok(Array.isArray(at(read.messages.at(-1), 'result.contents')), read.text)
  const blog = await start(t, ['blog'])
  const hidden = await rpc(blog.to, { path: PATH, ...modern('resources/list') })
  assert.deepEqual(at(hidden.messages.at(-1), 'result.resources'), [])
  const unread = await rpc(blog.to, { path: PATH, ...modern('resources/read', { uri: 'crow://context' }) })
  assert.equal(at(unread.messages.at(-1), 'result'), undefined)
  assert.doesNotMatch(unread.text, /contents/)
})

test(
  'a client connects to the router by OAuth with the scopes of the servers, and its token is for the router only',
  { timeout },
  async (t) => {
    const gateway = await ownedApp(t)
    const { origin, port } = gateway
    const document = await fetch(`${origin}/.well-known/oauth-protected-resource/router/mcp`)
    const offered: unknown = await document.json()
    assert.deepEqual(at(offered, 'scopes_supported'), [
      'memory',
      'memory:read',
      'storage',
      'storage:read',
      'tools',
      'tools:read',
    ])
    const { access } = await connect(gateway, await newClient(gateway), {
      at: { resource: `${origin}${PATH}`, scope: 'memory:read' },
    })
    const to = { port, token: access }
    assert.equal((await rpc(to, act('crow_memory', 'memory_stats'))).status, 200)
    assert.equal((await rpc(to, act('crow_memory', 'store_memory', { content: 'x' }))).status, 403)
    const elsewhere = await rpc(to, { path: '/memory/mcp', ...modern('tools/list') })
    assert.equal(elsewhere.status, 401)
  },
)
