// Which server an access token is for (RFC 8707): one of those that were consented to, with something that may be done there.
import { errors, type KoaContextWithOIDC } from 'oidc-provider'
import type { FastifyInstance } from 'fastify'
import { EVERY_SERVER } from '../../src/oauth/addresses.ts'

type Ground = Pick<FastifyInstance, 'urls' | 'scopes'>

/**
 * @param oneOf what the client named, or what was consented to; undefined where nothing was named to begin with
 * @throws errors.InvalidTarget for a name that means nothing here, whatever stands beside it
 */
export function chosenTarget(ground: Ground, ctx: KoaContextWithOIDC, oneOf: readonly string[] | undefined): string {
  const { urls } = ground
  if (oneOf?.some((resource) => urls.serverOf(resource) === undefined) === true) throw new errors.InvalidTarget()
  return oneOf?.find((resource) => isGranted(ground, ctx, resource)) ?? oneOf?.[0] ?? urls.audienceOf(EVERY_SERVER)
}

/**
 * @returns the server that a resource means
 * @throws errors.InvalidTarget for none of ours, and for one where a token would be for nothing
 */
export function serverFor(ground: Ground, ctx: KoaContextWithOIDC, resource: string): string {
  const server = ground.urls.serverOf(resource)
  const isPointless = ctx.oidc.route === 'token' && !isGranted(ground, ctx, resource)
  if (server === undefined || isPointless) throw new errors.InvalidTarget()
  return server
}

/** Whether the consent lets do anything there, of what is asked for now. */
function isGranted({ urls, scopes }: Ground, { oidc }: KoaContextWithOIDC, resource: string): boolean {
  const server = urls.serverOf(resource)
  if (server === undefined) return false
  const asked = oidc.requestParamScopes
  const wanted = scopes.offered(server).filter((scope) => asked.size === 0 || asked.has(scope))
  return (oidc.entities.Grant?.getResourceScopeFiltered(resource, wanted) ?? '') !== ''
}
