// A client library that knows nothing of MCP against the whole gateway, and holds it to the letter of each standard.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as oauth from 'oauth4webapi'
import { modern, rpc } from '../../fixtures/rpc.ts'
import { ownedApp, type OwnedApp } from '../../security/owned-app.ts'
import { Browser } from './browser.ts'
import { LOOPBACK } from './client.ts'
import { DOCUMENT_URL, documentHost } from './document-host.ts'
import { discover, insecure, leave, letIn, registerAt, renew, type Place } from './library-client.ts'

const timeout = 60_000

/** From the challenge of a refused call to the metadata of the authorization server. */
async function challenged({ origin, port }: OwnedApp): Promise<Place> {
  const refused = await rpc({ port, token: '' }, { path: '/memory/mcp', headers: { authorization: undefined } })
  assert.equal(refused.status, 401)
  const named = /resource_metadata="([^"]+)"/.exec(String(refused.headers['www-authenticate']))?.[1]
  const resource = new URL(`${origin}/memory/mcp`)
  const { url } = await oauth.resourceDiscoveryRequest(resource, insecure)
  assert.equal(url, named, 'the challenge names the document at its well-known place')
  return await discover(resource)
}

const toolsOf = async ({ port }: OwnedApp, token: string) =>
  rpc({ port, token }, { path: '/memory/mcp', ...modern('tools/list') })

test(
  'a confidential client registers, connects, refreshes, asks about its token and leaves',
  { timeout },
  async (t) => {
    const app = await ownedApp(t)
    const found = await challenged(app)
    const { server } = found
    assert.deepEqual(server.code_challenge_methods_supported, ['S256'])
    assert.equal(server.authorization_response_iss_parameter_supported, true)
    assert.equal(server.client_id_metadata_document_supported, true)
    const registered = await registerAt(found, 'client_secret_basic')
    const client = { client_id: registered.client_id }
    const { client_secret: secret } = registered
    const auth = oauth.ClientSecretBasic(typeof secret === 'string' ? secret : '')
    const tokens = await letIn(found, client, new Browser(app.origin), 'memory:read offline_access', auth)
    assert.equal(tokens.scope, 'memory:read')
    assert.equal((await toolsOf(app, tokens.access_token)).status, 200)
    const told = await oauth.processIntrospectionResponse(
      server,
      client,
      await oauth.introspectionRequest(server, client, auth, tokens.access_token, insecure),
    )
    assert.deepEqual([told.active, told.aud, told.scope], [true, `${app.origin}/memory/mcp`, 'memory:read'])
    const renewed = await renew(found, client, tokens, auth)
    assert.notEqual(renewed.refresh_token, tokens.refresh_token)
    await leave(found, client, renewed, auth)
    assert.equal((await toolsOf(app, renewed.access_token)).status, 401)
  },
)

test('a client that is a document connects without registering', { timeout }, async (t) => {
  const { asked, fetchDocument } = await documentHost(t, { client_name: 'Documented', redirect_uris: [LOOPBACK] })
  const app = await ownedApp(t, {}, { oauth: { fetchDocument } })
  const found = await challenged(app)
  const tokens = await letIn(found, { client_id: DOCUMENT_URL }, new Browser(app.origin), 'memory')
  assert.equal((await toolsOf(app, tokens.access_token)).status, 200)
  assert.deepEqual(asked, ['/oauth/client.json'])
})

test('a call beyond the scopes names the scope to come back with, and with it goes through', { timeout }, async (t) => {
  const app = await ownedApp(t)
  const found = await challenged(app)
  const client = { client_id: (await registerAt(found, 'none')).client_id }
  const browser = new Browser(app.origin)
  const call = modern('tools/call', { name: 'crow_store_memory', arguments: { content: 'higher' } })
  const first = await letIn(found, client, browser, 'memory:read')
  const refused = await rpc({ port: app.port, token: first.access_token }, { path: '/memory/mcp', ...call })
  assert.equal(refused.status, 403)
  const challenge = String(refused.headers['www-authenticate'])
  assert.match(challenge, /error="insufficient_scope"/)
  assert.match(challenge, /resource_metadata="/)
  const scope = /[ ,]scope="([^"]*)"/.exec(challenge)?.[1] ?? ''
  const second = await letIn(found, client, browser, scope)
  assert.equal(
    (await rpc({ port: app.port, token: second.access_token }, { path: '/memory/mcp', ...call })).status,
    200,
  )
})
