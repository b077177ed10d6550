// The challenge of a route that takes bearer tokens: it leads a client to what it needs to get one (RFC 9728 §5.1).
import type { FastifyRequest } from 'fastify'
import { challenge, type Challenge } from '../../src/oauth/bearer.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Path of the protected resource that this route is a part of; its own path unless given. */
    resource?: string
  }
}

/** Adds where the document of this URL's resource is, and, unless other ones are named, every scope that can be asked for. */
export function challengeOf(request: FastifyRequest, more: Challenge): string {
  const { scopes, urls } = request.server
  const { config, url } = request.routeOptions
  if (config.server === undefined || url === undefined) return challenge(more)
  const path = config.resource ?? url
  return challenge({
    scope: scopes.offered(config.server).join(' '),
    ...more,
    resourceMetadata: urls.metadataUrlOf(path + urls.profileIn(path, request.query), request.raw.headers.host),
  })
}
