// Puts what is pure about access where rooms and doors find it: public addresses, scopes, and access tokens beside local ones.
import fp from 'fastify-plugin'
import type { FastifyInstance } from 'fastify'
import { createAccessTokens } from '../../src/oauth/access-tokens.ts'
import { createAddresses, type Addresses } from '../../src/oauth/addresses.ts'
import { auditedAuthorizations, auditedClients } from '../../src/oauth/audited.ts'
import { createAuthorizations, type Authorizations } from '../../src/oauth/authorizations.ts'
import { createKnownClients, type KnownClients } from '../../src/oauth/known-clients.ts'
import { createScopes, type Scopes } from '../../src/oauth/scopes.ts'
import { CROW_MD } from '../../src/servers/memory/reading.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Every public URL; `addresses` is Fastify's own. */
    urls: Addresses
    scopes: Scopes
    authorizations: Authorizations
    knownClients: KnownClients
  }
}

function addresses(app: FastifyInstance, _options: object, done: () => void): void {
  const { audit, catalog, clock, config, database, tokens } = app
  const port = (): number => portOf(app) ?? config.port
  const made = createAddresses({
    publicUrl: config.publicUrl,
    allowedHosts: config.allowedHosts,
    servers: catalog.servers,
    documents: [CROW_MD].filter(({ server }) => catalog.server(server) !== undefined),
    bind: config.host,
    port,
  })
  const access = createAccessTokens(database, made, clock, { watch: true, log: app.log })
  tokens.verifyOthersWith((token) => access.verify(token))
  app.decorate('urls', made)
  app.decorate('scopes', createScopes(catalog.servers))
  const lookAgain = (): void => tokens.verified.clear()
  const authorizations = createAuthorizations(database, clock, lookAgain, (id, written) => access.lastUse(id, written))
  app.decorate('authorizations', auditedAuthorizations(authorizations, audit))
  app.decorate('knownClients', auditedClients(createKnownClients(database, clock, lookAgain), audit))
  app.addHook('onClose', () => access.close())
  done()
}

/** The port that is listened on, once it is. */
function portOf(app: FastifyInstance): number | undefined {
  const bound = app.server.address()
  return typeof bound === 'object' && bound !== null ? bound.port : undefined
}

export default fp(addresses, { name: 'ground/addresses', dependencies: ['ground/gateway'], fastify: '5.x' })
