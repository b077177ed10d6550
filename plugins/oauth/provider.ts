// The authorization server itself. Only ever imported by `import()`: it is large, and many a gateway is never asked for a token.
import { timingSafeEqual } from 'node:crypto'
import type { EventEmitter } from 'node:events'
import { Provider, errors, type Client } from 'oidc-provider'
import type { FastifyInstance } from 'fastify'
import { ACCESS_PREFIX } from '../../src/oauth/access-tokens.ts'
import { createDocumentFetch, withMemory } from '../../src/oauth/client-documents.ts'
import { createAdapter } from '../../src/oauth/store/adapter.ts'
import { digestOf } from '../../src/oauth/verified.ts'
import type { CookieJar } from '../armour/cookies.ts'
import { configurationOf } from './configuration.ts'
import { signingKeys } from './keys.ts'
import type { OAuthOptions } from './options.ts'
import { comeBack, pardonLateRefreshes, pardonSilentHosts } from './pardon.ts'
import { noteSpent } from './spent.ts'
import { noteEvents } from './trail.ts'

const PREFIXES = { AccessToken: ACCESS_PREFIX, RefreshToken: 'crow_refresh_', AuthorizationCode: 'crow_code_' } as const

export async function createProvider(app: FastifyInstance, options: OAuthOptions): Promise<Provider> {
  const { clock, cookieJar, database, tokens, urls } = app
  const adapter = createAdapter({
    db: database,
    clock,
    onRevoked: () => tokens.verified.clear(),
    usedUp: () => new errors.InvalidGrant('it was used already'),
    unavailable: (cause) => unavailable(app, cause),
  })
  const jwks = await signingKeys(app.secrets)
  const fetchDocument = withMemory(options.fetchDocument ?? createDocumentFetch(), database, clock)
  const provider = new Provider(urls.issuer, configurationOf(app, fetchDocument, adapter, jwks))
  followKeys(provider, cookieJar)
  provider.proxy = true
  compareSecretsByHash(provider)
  pardonSilentHosts(app, provider)
  pardonLateRefreshes(app, provider)
  markTokens(provider)
  listen(app, provider)
  noteSpent(provider)
  noteEvents(app, provider)
  return provider
}

/** Those of a configuration are taken once, and a key that is made later would never reach it. */
function followKeys(provider: Provider, cookieJar: CookieJar): void {
  Object.defineProperty(provider, 'keys', { get: () => [...cookieJar.keys] })
}

/** The database keeps the SHA-256 of a secret; see the adapter. */
function compareSecretsByHash(provider: Provider): void {
  provider.Client.prototype.compareClientSecret = compareByHash
}

function compareByHash(this: Client, actual: string): boolean {
  const kept = Buffer.from(this.clientSecret ?? '', 'hex')
  const given = Buffer.from(digestOf(actual), 'hex')
  return kept.length === given.length && timingSafeEqual(kept, given)
}

/** Our tokens carry a mark, so that secret scanners and our own log know them. */
function markTokens(provider: Provider): void {
  for (const [name, prefix] of Object.entries(PREFIXES)) {
    const model: unknown = Reflect.get(provider, name)
    if (typeof model !== 'function') throw new TypeError(`the authorization server has no ${name}`)
    const prototype: unknown = model.prototype
    if (typeof prototype !== 'object' || prototype === null) throw new TypeError(`${name} is no model`)
    const plain: unknown = Reflect.get(prototype, 'generateTokenId')
    if (typeof plain !== 'function') throw new TypeError(`${name} makes no ids`)
    Reflect.set(prototype, 'generateTokenId', function generateTokenId(this: unknown): string {
      return prefix + String(Reflect.apply(plain, this, []))
    })
  }
}

function listen({ log }: FastifyInstance, provider: Provider): void {
  // Without a listener it would be written to stderr as it is.
  const emitter: EventEmitter = provider
  emitter.on('error', (error: unknown) => log.error({ err: error }, 'the authorization server failed'))
  provider.on('server_error', (_ctx, error) => log.error({ err: error }, 'the authorization server failed'))
  provider.on('grant.revoked', (ctx) => {
    const client = ctx.oidc.client?.clientId
    if (ctx.oidc.route === 'token')
      log.warn({ client }, 'a code or refresh token was used twice: everything issued with it is revoked')
    else log.info({ client }, 'a client revoked its authorization')
  })
}

/** A failure of ours: the client keeps its registration and comes back. */
function unavailable({ log }: FastifyInstance, cause: unknown): Error {
  log.error({ err: cause }, 'the authorization server could not use the database')
  return comeBack('The gateway cannot use its database right now; try again in a moment.')
}
