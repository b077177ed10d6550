// Where clients learn how to get in: the authorization server's metadata (RFC 8414, OpenID Connect Discovery) and one
// protected-resource document (RFC 9728) for every URL of every server. Nothing of the authorization server is loaded for it.
import fp from 'fastify-plugin'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { RESOURCE_METADATA, EVERY_SERVER } from '../../src/oauth/addresses.ts'
import { authorizationServerMetadata, protectedResourceMetadata } from '../../src/oauth/metadata.ts'
import { oauthFailure } from './failure.ts'

const SERVER_METADATA = ['/.well-known/oauth-authorization-server', '/.well-known/openid-configuration'] as const
const OPEN = { answers: 'oauth', cors: 'open' } as const
const CACHE_SECONDS = 300

async function room(app: FastifyInstance): Promise<void> {
  const { config, scopes, urls } = app
  app.setErrorHandler(oauthFailure)
  const open = (path: string, answer: (request: FastifyRequest) => object): void => {
    app.get(path, { config: OPEN }, (request, reply) => sendDocument(app, reply, answer(request)))
    app.options(path, { config: OPEN }, (_request, reply) => reply.code(204).header('allow', 'GET, OPTIONS').send())
  }
  const bases = config.basePath === '' ? [''] : ['', config.basePath]
  for (const path of SERVER_METADATA)
    for (const base of bases) open(path + base, () => authorizationServerMetadata(urls.issuer, scopes.all))
  const resources = [{ path: '', server: EVERY_SERVER }, ...urls.resources]
  for (const { path, server } of resources)
    for (const base of bases)
      open(RESOURCE_METADATA + base + path, ({ headers, query }) =>
        protectedResourceMetadata({
          resource: urls.urlFor(path + urls.profileIn(path, query), headers.host),
          issuer: urls.issuer,
          scopes: scopes.offered(server),
          name: scopes.nameOf(server),
        }),
      )
}

function sendDocument({ config }: FastifyInstance, reply: FastifyReply, document: object): FastifyReply {
  // Without a public URL a document repeats the Host it was asked by, and no cache may mix that up.
  if (config.publicUrl !== null) reply.header('cache-control', `public, max-age=${CACHE_SECONDS}`)
  return reply.type('application/json; charset=utf-8').send(JSON.stringify(document))
}

export default fp(room, {
  name: 'oauth-metadata',
  dependencies: ['doors/anyone', 'ground/addresses'],
  encapsulate: true,
  fastify: '5.x',
})
