// How the authorization server is set up: what it offers, how long things live, and which of our rules it asks.
import { errors, type Adapter, type Configuration, type JWKS } from 'oidc-provider'
import type { FastifyInstance } from 'fastify'
import { freshSecret } from '../../src/oauth/clients.ts'
import { isDocumentAddress, type DocumentFetch } from '../../src/oauth/client-documents.ts'
import { settleMetadata } from '../../src/oauth/registration.ts'
import { OFFLINE } from '../../src/oauth/scopes.ts'
import { renderFailure } from './failure-page.ts'
import { DEFAULTED } from './defaulted.ts'
import { interactionPolicyOf } from './policy.ts'
import { rememberedGrant } from './remembered.ts'
import { chosenTarget, serverFor } from './target.ts'

/** Seconds. */
const MINUTE = 60
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
export const ACCESS_TOKEN_SECONDS = HOUR
const TTL = {
  AccessToken: ACCESS_TOKEN_SECONDS,
  AuthorizationCode: MINUTE,
  RefreshToken: 30 * DAY,
  // Outlives every refresh: its family ends by revocation, or because nobody refreshes any more.
  Grant: 3650 * DAY,
  Interaction: HOUR,
  Session: DAY,
  IdToken: HOUR,
} as const

export function configurationOf(
  app: FastifyInstance,
  fetchDocument: DocumentFetch,
  adapter: (model: string) => Adapter,
  jwks: JWKS,
): Configuration {
  const { urls } = app
  return {
    adapter,
    jwks,
    cookies: cookiesOf(app),
    clientDefaults: {
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      id_token_signed_response_alg: 'ES256',
    },
    enabledJWA: { idTokenSigningAlgValues: ['ES256'] },
    clientAuthMethods: ['none', 'client_secret_basic', 'client_secret_post'],
    // Ours are scopes of resources, so that each is only known where it means something.
    scopes: [OFFLINE],
    responseTypes: ['code'],
    pkce: { required: () => true },
    rotateRefreshToken: true,
    expiresWithSession: () => false,
    issueRefreshToken: (_ctx, client) => client.grantTypeAllowed('refresh_token'),
    findAccount: (_ctx, sub) => ({ accountId: sub, claims: () => ({ sub }) }),
    loadExistingGrant: (ctx) => rememberedGrant(app, ctx),
    ttl: TTL,
    routes: ROUTES,
    interactions: {
      url: (_ctx, { uid }) => `${urls.basePath}/interaction/${uid}`,
      policy: interactionPolicyOf(app),
    },
    extraParams: [DEFAULTED],
    extraClientMetadata: {
      properties: ['redirect_uris'],
      validator(_ctx, _key, _value, metadata) {
        const problem = settleMetadata(metadata)
        if (problem !== undefined) throw new errors.InvalidClientMetadata(problem)
      },
    },
    features: featuresOf(app),
    fetch: (input) => fetchDocument(input instanceof Request ? input.url : input),
    renderError(ctx, { error, error_description: sentence }) {
      ctx.type = 'html'
      ctx.body = renderFailure(urls.basePath, error, sentence)
    },
  }
}

const ROUTES = {
  authorization: '/authorize',
  token: '/token',
  registration: '/register',
  revocation: '/revoke',
  introspection: '/introspect',
  jwks: '/jwks',
} as const

function featuresOf(app: FastifyInstance): Configuration['features'] {
  const { scopes, urls } = app
  const off = { enabled: false }
  return {
    devInteractions: off,
    userinfo: off,
    dPoP: off,
    rpInitiatedLogout: off,
    pushedAuthorizationRequests: off,
    registration: {
      enabled: true,
      initialAccessToken: false,
      issueRegistrationAccessToken: false,
      secretFactory: freshSecret,
    },
    registrationManagement: off,
    revocation: { enabled: true, allowedPolicy: (_ctx, client, token) => token.clientId === client.clientId },
    introspection: {
      enabled: true,
      allowedPolicy: (_ctx, client, token) => client.clientAuthMethod !== 'none' && token.clientId === client.clientId,
    },
    clientIdMetadataDocument: {
      enabled: true,
      ack: 'draft-02',
      allowFetch: (_ctx, id) => isDocumentAddress(id),
    },
    resourceIndicators: {
      enabled: true,
      defaultResource: (ctx, _client, oneOf) => chosenTarget(app, ctx, oneOf),
      useGrantedResource: () => true,
      getResourceServerInfo(ctx, resource) {
        const server = serverFor(app, ctx, resource)
        return {
          scope: scopes.offered(server).join(' '),
          audience: urls.audienceOf(server),
          accessTokenTTL: ACCESS_TOKEN_SECONDS,
          accessTokenFormat: 'opaque' as const,
        }
      },
    },
  }
}

/** Prefixes that bind a cookie to https (RFC 6265bis §4.1.3) where there is https. */
function cookiesOf({ cookieJar, urls: { issuer, basePath } }: FastifyInstance): Configuration['cookies'] {
  const isSecure = new URL(issuer).protocol === 'https:'
  const shared = { signed: true, httpOnly: true, sameSite: 'lax', overwrite: true } as const
  return {
    names: {
      session: cookieJar.nameOf('oauth', isSecure ? '__Host-' : ''),
      interaction: cookieJar.nameOf('interaction', isSecure ? '__Secure-' : ''),
      resume: cookieJar.nameOf('resume', isSecure ? '__Secure-' : ''),
    },
    long: { ...shared, path: isSecure || basePath === '' ? '/' : basePath },
    short: shared,
  }
}
