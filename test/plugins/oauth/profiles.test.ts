// An address that names a profile is an address of the same server: clients find their way in from it, by the letter of RFC 9728,
// and what they are given is for that server, under every name, and for no other.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Client, StreamableHTTPClientTransport, UnauthorizedError } from '@modelcontextprotocol/client'
import { at, modern, rpc } from '../../fixtures/rpc.ts'
import { ownedApp } from '../../security/owned-app.ts'
import { Browser } from './browser.ts'
import { begin, connect, newClient, read } from './client.ts'
import { discover, letIn, registerAt, renew } from './library-client.ts'
import { Program } from './sdk-program.ts'

const timeout = 60_000
const RESOURCE = '/.well-known/oauth-protected-resource'
const PATH = '/router/mcp?profile=direct'

const freshClient = (mode: 'auto' | 'legacy') =>
  new Client({ name: 'program', version: '1' }, { versionNegotiation: { mode } })

for (const mode of ['auto', 'legacy'] as const)
  test(
    `the client of the SDK (${mode}) connects to an address with a profile, and is shown that profile`,
    { timeout },
    async (t) => {
      const gateway = await ownedApp(t)
      const program = new Program()
      const transport = () =>
        new StreamableHTTPClientTransport(new URL(PATH, gateway.origin), { authProvider: program })
      const first = transport()
      await assert.rejects(freshClient(mode).connect(first), UnauthorizedError)
      assert.equal(program.sent[0]?.searchParams.get('resource'), gateway.origin + PATH)
      const { location, page } = await new Browser(gateway.origin).authorize(program.sent[0]?.href ?? '')
      assert.ok(location, page?.text)
      await first.finishAuth(location.searchParams)
      const client = freshClient(mode)
      await client.connect(transport())
      t.after(() => client.close())
      const { tools } = await client.listTools()
      assert.ok(
        tools.some(({ name }) => name === 'crow_store_memory') && !tools.some(({ name }) => name === 'crow_memory'),
      )
      assert.match(client.getInstructions() ?? '', /`crow_recall_by_context`/)
      const store = async () => {
        const stored = await client.callTool({ name: 'crow_store_memory', arguments: { content: 'direct' } })
        assert.notEqual(stored.isError, true, JSON.stringify(stored))
      }
      await store()
      // Refreshed on the way, with the same resource.
      const before = program.saved?.access_token
      gateway.time.offsetMs += 3_700_000
      await store()
      assert.notEqual(program.saved?.access_token, before)
      // Without a name in the address it is what the owner gave this client, by its id.
      const to = { port: gateway.port, token: program.saved?.access_token ?? '' }
      const shown = async (path: string) => {
        const { messages } = await rpc(to, { path, ...modern('tools/list') })
        return at(messages[0], 'result.tools')
      }
      assert.notDeepEqual(await shown('/router/mcp'), tools)
      await gateway.app.gateway.profiles.give(`oauth:${program.information?.client_id}`, 'direct')
      assert.deepEqual(await shown('/router/mcp'), tools)
      await gateway.app.gateway.profiles.give(`oauth:${program.information?.client_id}`, 'router')
      assert.deepEqual(await shown(PATH), tools)
    },
  )

test('a library that compares every address connects there, and refreshes', { timeout }, async (t) => {
  const app = await ownedApp(t)
  const place = await discover(new URL(PATH, app.origin))
  const client = await registerAt(place, 'none')
  const tokens = await letIn(place, client, new Browser(app.origin), 'memory:read offline_access')
  const renewed = await renew(place, client, tokens)
  const { status, text } = await rpc(
    { port: app.port, token: renewed.access_token },
    { path: PATH, ...modern('tools/list') },
  )
  assert.equal(status, 200, text)
})

test('the challenge and the document name exactly the address that was called', { timeout }, async (t) => {
  const { origin } = await ownedApp(t)
  for (const path of ['/router/mcp', '/router/sse']) {
    const refused = await fetch(`${origin}${path}?profile=direct`, { method: path.endsWith('sse') ? 'GET' : 'POST' })
    assert.equal(refused.status, 401)
    const document = /resource_metadata="([^"]+)"/.exec(refused.headers.get('www-authenticate') ?? '')?.[1]
    assert.equal(document, `${origin}${RESOURCE}${path}?profile=direct`)
    const { body } = await read(await fetch(document))
    assert.equal(body['resource'], `${origin}${path}?profile=direct`)
    assert.deepEqual(body['authorization_servers'], [origin])
  }
  const resourceOf = async (address: string) => (await read(await fetch(origin + RESOURCE + address))).body['resource']
  // Nothing is repeated that is no name, or stands where there are no profiles.
  for (const query of [
    '?profile=',
    '?profile=A',
    '?profile=a&profile=b',
    '?profile=%22',
    '?x=1',
    `?profile=${'x'.repeat(33)}`,
  ])
    assert.equal(await resourceOf(`/router/mcp${query}`), `${origin}/router/mcp`, query)
  assert.equal(await resourceOf('/memory/mcp?profile=direct'), `${origin}/memory/mcp`)
  const mount = await fetch(`${origin}/memory/mcp?profile=direct`, { method: 'POST' })
  assert.match(mount.headers.get('www-authenticate') ?? '', /oauth-protected-resource\/memory\/mcp"/)
  // After the pair of SSE paths, the second of which nobody connects to.
  const messages = await fetch(`${origin}/router/messages?sessionId=x&profile=direct`, { method: 'POST' })
  assert.match(messages.headers.get('www-authenticate') ?? '', /oauth-protected-resource\/router\/sse\?profile=direct"/)
})

test(
  'a token for the address with a profile is for the router, under every profile, and for nothing else',
  { timeout },
  async (t) => {
    const gateway = await ownedApp(t)
    const { origin, port } = gateway
    const clientId = await newClient(gateway)
    for (const [resource, exchanged] of [
      [`${origin}${PATH}`, `${origin}${PATH}`],
      [`${origin}${PATH}`, `${origin}/router/mcp`],
      [`${origin}/router/mcp`, `${origin}/router/sse?profile=auto`],
      [`${origin}/router/mcp`, undefined],
    ] as const) {
      const { access, answer } = await connect(gateway, clientId, {
        at: { resource, scope: 'memory' },
        ...(exchanged === undefined ? {} : { exchange: { resource: exchanged } }),
      })
      assert.equal(answer.status, 200, JSON.stringify(answer.body))
      const status = async (path: string) =>
        (await rpc({ port, token: access }, { path, ...modern('tools/list') })).status
      for (const path of [PATH, '/router/mcp', '/router/mcp?profile=router'])
        assert.equal(await status(path), 200, path)
      for (const path of ['/memory/mcp', '/memory/mcp?profile=direct', '/mcp', '/storage/mcp'])
        assert.equal(await status(path), 401, path)
    }
    const memory = await connect(gateway, clientId, { at: { resource: `${origin}/memory/mcp`, scope: 'memory' } })
    const there = await rpc({ port, token: memory.access }, { path: PATH, ...modern('tools/list') })
    assert.equal(there.status, 401)
  },
)

test('as a resource only an address with exactly one well-formed profile is taken', { timeout }, async (t) => {
  const gateway = await ownedApp(t)
  const { origin } = gateway
  const clientId = await newClient(gateway)
  for (const resource of [
    '/router/mcp?profile=',
    '/router/mcp?profile=Direct',
    '/router/mcp?profile=direct&x=1',
    '/router/mcp?x=1&profile=direct',
    '/router/mcp?profile=direct&profile=auto',
    '/router/mcp?profile=%64irect',
    '/router/mcp?profile=direct#x',
    '/router/mcp??profile=direct',
    '/router/mcp?profiles=direct',
    '/router/mcp?',
    '/memory/mcp?profile=direct',
    '/mcp?profile=direct',
    '/?profile=direct',
    '/nothing/mcp?profile=direct',
  ]) {
    const browser = new Browser(origin)
    const { location } = await browser.authorize(
      begin(gateway, clientId, { resource: origin + resource, scope: 'memory' }).url,
    )
    assert.equal(location?.searchParams.get('error'), 'invalid_target', resource)
  }
  const { answer } = await connect(gateway, clientId, {
    at: { resource: `${origin}/router/mcp`, scope: 'memory' },
    exchange: { resource: `${origin}/memory/mcp?profile=direct` },
  })
  assert.deepEqual([answer.status, answer.body['error']], [400, 'invalid_target'])
})
