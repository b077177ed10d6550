// The client of the MCP SDK against the whole gateway: it finds its way in from a 401 alone, registers or brings its document,
// proves itself, refreshes, and comes back with more scopes when a call needs them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  Client,
  IssuerMismatchError,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client'
import { ownedApp, type OwnedApp } from '../../security/owned-app.ts'
import { Browser } from './browser.ts'
import { LOOPBACK } from './client.ts'
import { DOCUMENT_URL, documentHost } from './document-host.ts'
import { Program } from './sdk-program.ts'

const timeout = 60_000

const transportOf = ({ origin }: OwnedApp, authProvider: Program) =>
  new StreamableHTTPClientTransport(new URL('/memory/mcp', origin), { authProvider })

const freshClient = () => new Client({ name: 'program', version: '1' }, { versionNegotiation: { mode: 'auto' } })

/** What comes back to the program after the person has consented. */
async function consentTo(
  program: Program,
  browser: Browser,
  tick?: (shown: string[]) => string[],
): Promise<URLSearchParams> {
  const start = program.sent.at(-1)
  assert.ok(start)
  const { location, page } = await browser.authorize(start.href, tick)
  assert.ok(location, page?.text)
  assert.equal(location.searchParams.get('state'), program.lastState)
  return location.searchParams
}

async function connected(app: OwnedApp, program: Program, browser: Browser, tick?: (shown: string[]) => string[]) {
  const first = transportOf(app, program)
  await assert.rejects(freshClient().connect(first), UnauthorizedError)
  await first.finishAuth(await consentTo(program, browser, tick))
  const client = freshClient()
  const transport = transportOf(app, program)
  await client.connect(transport)
  return { client, transport }
}

const store = { name: 'crow_store_memory', arguments: { content: 'written by the SDK' } }

test('from a 401 it registers, proves itself, names the resource and calls a tool', { timeout }, async (t) => {
  const app = await ownedApp(t)
  const program = new Program()
  const { client } = await connected(app, program, new Browser(app.origin))
  t.after(() => client.close())
  const asked = program.sent[0]?.searchParams
  assert.equal(asked?.get('resource'), `${app.origin}/memory/mcp`)
  assert.equal(asked?.get('code_challenge_method'), 'S256')
  assert.match(program.saved?.access_token ?? '', /^crow_access_/)
  const answer = await client.callTool(store)
  assert.notEqual(answer.isError, true, JSON.stringify(answer))
  assert.deepEqual(
    app.app.authorizations.list().map(({ clientName, server, scopes }) => ({ clientName, server, scopes })),
    [{ clientName: 'SDK program', server: 'memory', scopes: ['memory', 'memory:read'] }],
  )
})

test(
  'an access token that expired is refreshed on the way, and a family that ended asks the person anew',
  { timeout },
  async (t) => {
    const app = await ownedApp(t)
    const program = new Program()
    const browser = new Browser(app.origin)
    const { client } = await connected(app, program, browser)
    t.after(() => client.close())
    const before = program.saved
    app.time.offsetMs += 3_700_000
    assert.notEqual((await client.callTool(store)).isError, true)
    assert.notEqual(program.saved?.access_token, before?.access_token)
    assert.notEqual(program.saved?.refresh_token, before?.refresh_token)
    assert.equal(program.sent.length, 1, 'nobody was asked')
    await app.app.authorizations.revokeAll()
    await assert.rejects(client.callTool(store), UnauthorizedError)
    assert.equal(program.sent.length, 2)
  },
)

test('an answer that names another issuer is not redeemed', { timeout }, async (t) => {
  const app = await ownedApp(t)
  const program = new Program()
  const transport = transportOf(app, program)
  await assert.rejects(freshClient().connect(transport), UnauthorizedError)
  const params = await consentTo(program, new Browser(app.origin))
  assert.equal(params.get('iss'), app.origin)
  const mixed = new URLSearchParams(params)
  mixed.set('iss', 'https://evil.example')
  await assert.rejects(transport.finishAuth(mixed), IssuerMismatchError)
  const missing = new URLSearchParams(params)
  missing.delete('iss')
  await assert.rejects(transport.finishAuth(missing), IssuerMismatchError)
  await transport.finishAuth(params)
  assert.match(program.saved?.access_token ?? '', /^crow_access_/)
})

test('it brings its metadata document instead of registering', { timeout }, async (t) => {
  const { asked, fetchDocument } = await documentHost(t, {
    client_name: 'Documented program',
    redirect_uris: [LOOPBACK],
  })
  const app = await ownedApp(t, {}, { oauth: { fetchDocument } })
  const program = new Program(DOCUMENT_URL)
  const browser = new Browser(app.origin)
  const { client } = await connected(app, program, browser)
  t.after(() => client.close())
  assert.equal(program.information?.client_id, DOCUMENT_URL)
  assert.deepEqual(asked, ['/oauth/client.json'])
  assert.equal(app.app.database.sqlite.prepare('SELECT count(*) FROM oauth_clients').pluck().get(), 0)
  assert.match(browser.lastConsent, /client\.example/)
  assert.notEqual((await client.callTool(store)).isError, true)
})

test('with less than a call needs it is sent back for more, and the call then goes through', { timeout }, async (t) => {
  const app = await ownedApp(t)
  const program = new Program()
  const browser = new Browser(app.origin)
  const { client, transport } = await connected(app, program, browser, () => ['memory:read'])
  t.after(() => client.close())
  assert.equal(program.saved?.scope, 'memory:read')
  const { tools } = await client.listTools()
  assert.ok(tools.length > 0 && !tools.some(({ name }) => name === store.name), 'only what the scopes grant is shown')
  await assert.rejects(client.callTool(store), UnauthorizedError)
  const more = program.sent.at(-1)?.searchParams.get('scope')?.split(' ')
  assert.equal(program.sent.length, 2)
  assert.ok(more?.includes('memory'), String(more))
  await transport.finishAuth(await consentTo(program, browser))
  assert.notEqual((await client.callTool(store)).isError, true)
})
