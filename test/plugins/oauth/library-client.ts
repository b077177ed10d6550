// A client by a library that knows nothing of MCP or of us, with every check of the library on.
import assert from 'node:assert/strict'
import * as oauth from 'oauth4webapi'
import type { Browser } from './browser.ts'
import { LOOPBACK } from './client.ts'

/** The library refuses plain http, which is all there is on loopback. */
export const insecure = { [oauth.allowInsecureRequests]: true }

export interface Place {
  readonly server: oauth.AuthorizationServer
  readonly resource: URL
}

/** From the document of the resource to the metadata of the authorization server, by either of its forms. */
export async function discover(resource: URL, algorithm: 'oauth2' | 'oidc' = 'oauth2'): Promise<Place> {
  const asked = await oauth.resourceDiscoveryRequest(resource, insecure)
  const described = await oauth.processResourceDiscoveryResponse(resource, asked)
  assert.equal(described.authorization_servers?.length, 1)
  const issuer = new URL(described.authorization_servers[0] ?? '')
  const answer = await oauth.discoveryRequest(issuer, { algorithm, ...insecure })
  return { resource, server: await oauth.processDiscoveryResponse(issuer, answer) }
}

/** @param method how it proves itself at the token endpoint */
export async function registerAt({ server }: Place, method: 'none' | 'client_secret_basic'): Promise<oauth.Client> {
  const metadata = { client_name: 'Independent', redirect_uris: [LOOPBACK], token_endpoint_auth_method: method }
  const answer = await oauth.dynamicClientRegistrationRequest(server, metadata, insecure)
  return await oauth.processDynamicClientRegistrationResponse(answer)
}

/** Authorizes and redeems; state and `iss` (RFC 9207) are checked. */
export async function letIn(
  { server, resource }: Place,
  client: oauth.Client,
  browser: Browser,
  scope: string,
  auth = oauth.None(),
): Promise<oauth.TokenEndpointResponse> {
  const verifier = oauth.generateRandomCodeVerifier()
  const state = oauth.generateRandomState()
  const start = new URL(server.authorization_endpoint ?? '')
  start.search = new URLSearchParams({
    response_type: 'code',
    client_id: client.client_id,
    redirect_uri: LOOPBACK,
    state,
    scope,
    resource: resource.href,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  }).toString()
  const { location, page } = await browser.authorize(start.href)
  assert.ok(location, page?.text)
  const params = oauth.validateAuthResponse(server, client, location, state)
  const options = { additionalParameters: { resource: resource.href }, ...insecure }
  const answer = await oauth.authorizationCodeGrantRequest(server, client, auth, params, LOOPBACK, verifier, options)
  return await oauth.processAuthorizationCodeResponse(server, client, answer)
}

/** Refreshes. */
export async function renew(
  { server }: Place,
  client: oauth.Client,
  { refresh_token: token = '' }: oauth.TokenEndpointResponse,
  auth = oauth.None(),
): Promise<oauth.TokenEndpointResponse> {
  const answer = await oauth.refreshTokenGrantRequest(server, client, auth, token, insecure)
  return await oauth.processRefreshTokenResponse(server, client, answer)
}

/** Revokes what a refresh token stands for. */
export async function leave(
  { server }: Place,
  client: oauth.Client,
  { refresh_token: token = '' }: oauth.TokenEndpointResponse,
  auth = oauth.None(),
): Promise<void> {
  await oauth.processRevocationResponse(await oauth.revocationRequest(server, client, auth, token, insecure))
}
