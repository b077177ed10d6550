// An independent client all the way, and what is left of it in the database.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import * as oauth from 'oauth4webapi'
import { Browser } from './browser.ts'
import { begin, call, connect, LOOPBACK, newClient, refresh } from './client.ts'
import { oauthApp } from './oauth-app.ts'

const timeout = 30_000
const insecure = { [oauth.allowInsecureRequests]: true }

test('an independent client discovers, registers, authorizes, refreshes and revokes', { timeout }, async (t) => {
  const { origin } = await oauthApp(t)
  const resource = new URL(`${origin}/memory/mcp`)

  const described = await oauth.processResourceDiscoveryResponse(
    resource,
    await oauth.resourceDiscoveryRequest(resource, insecure),
  )
  assert.deepEqual(described.authorization_servers, [origin])
  const issuer = new URL(described.authorization_servers?.[0] ?? '')
  for (const algorithm of ['oidc', 'oauth2'] as const) {
    const answer = await oauth.discoveryRequest(issuer, { algorithm, ...insecure })
    await oauth.processDiscoveryResponse(new URL(origin), answer)
  }
  const server = await oauth.processDiscoveryResponse(
    issuer,
    await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...insecure }),
  )
  assert.equal(server.issuer, origin)

  const registered = await oauth.processDynamicClientRegistrationResponse(
    await oauth.dynamicClientRegistrationRequest(
      server,
      { client_name: 'Independent', redirect_uris: [LOOPBACK], token_endpoint_auth_method: 'none' },
      insecure,
    ),
  )
  const client = { client_id: registered.client_id }
  const verifier = oauth.generateRandomCodeVerifier()
  const state = oauth.generateRandomState()
  const start = new URL(server.authorization_endpoint ?? '')
  start.search = new URLSearchParams({
    response_type: 'code',
    client_id: client.client_id,
    redirect_uri: LOOPBACK,
    state,
    scope: 'memory:read offline_access',
    resource: resource.href,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  }).toString()
  const { location } = await new Browser(origin).authorize(start.href)
  assert.ok(location)
  // Checks state and iss (RFC 9207).
  const params = oauth.validateAuthResponse(server, client, location, state)
  const tokens = await oauth.processAuthorizationCodeResponse(
    server,
    client,
    await oauth.authorizationCodeGrantRequest(server, client, oauth.None(), params, LOOPBACK, verifier, {
      additionalParameters: { resource: resource.href },
      ...insecure,
    }),
  )
  assert.equal(tokens.scope, 'memory:read')
  assert.equal(tokens.expires_in, 3600)
  const called = await oauth.protectedResourceRequest(tokens.access_token, 'GET', resource, undefined, null, insecure)
  assert.equal(called.status, 200)

  const refreshed = await oauth.processRefreshTokenResponse(
    server,
    client,
    await oauth.refreshTokenGrantRequest(server, client, oauth.None(), tokens.refresh_token ?? '', insecure),
  )
  assert.notEqual(refreshed.refresh_token, tokens.refresh_token)
  await oauth.processRevocationResponse(
    await oauth.revocationRequest(server, client, oauth.None(), refreshed.refresh_token ?? '', insecure),
  )
  assert.equal((await call({ origin }, '/memory/mcp', refreshed.access_token)).status, 401)
})

test('everything goes on after a restart, and nothing that opens a door is in the database', { timeout }, async (t) => {
  const first = await oauthApp(t)
  const clientId = await newClient(first)
  const { answer, access, refresh: token, browser } = await connect(first, clientId)
  assert.equal(answer.status, 200)
  const unfinished = await new Browser(first.origin).fetch(begin(first, clientId).url)
  const secrets = [access, token, ...browser.cookies, interactionIn(unfinished)]
  await first.close()

  const stored = readFileSync(join(first.dataDir, 'crow.db')).toString('latin1')
  assert.ok(stored.includes('Probe'), 'the file is the database')
  for (const secret of secrets) assert.ok(!stored.includes(secret), `${secret} is kept in clear`)

  const second = await oauthApp(t, { dataDir: first.dataDir, port: first.port })
  assert.equal((await call(second, '/memory/mcp', access)).status, 200)
  assert.equal((await refresh(second, clientId, token)).status, 200)
})

function interactionIn(response: Response): string {
  return response.headers.get('location')?.split('/').at(-1) ?? ''
}

test('the log holds no token', { timeout }, async (t) => {
  const app = await oauthApp(t)
  const clientId = await newClient(app)
  const { access, refresh: token } = await connect(app, clientId)
  await refresh(app, clientId, token)
  await refresh(app, clientId, 'crow_refresh_'.padEnd(56, 'x'))
  for (const line of app.lines) assert.ok(!line.includes(access) && !line.includes(token), line)
})
