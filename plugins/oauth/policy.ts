// When a person has to act: log in, unless the operator's session lives right now; consent, unless this was consented to.
import { errors, interactionPolicy, type KoaContextWithOIDC } from 'oidc-provider'
import type { FastifyInstance } from 'fastify'
import { OFFLINE, splitScopes, unknownScopes } from '../../src/oauth/scopes.ts'
import { operatorOf } from '../doors/operator-cookie.ts'
import { askerOf } from './ask.ts'

/** There is one account. */
export const OPERATOR = 'operator'

const { Check, Prompt } = interactionPolicy

export function interactionPolicyOf(app: FastifyInstance) {
  return [
    new Prompt(
      { name: 'login', requestable: true },
      new Check('scope', 'a scope must be known to the resource', 'invalid_scope', (ctx) => {
        refuseUnknownScopes(app, ctx)
        return Check.NO_NEED_TO_PROMPT
      }),
      new Check('operator', 'the operator must be logged in', 'login_required', (ctx) =>
        ctx.oidc.session?.accountId === OPERATOR && isOperatorLive(ctx)
          ? Check.NO_NEED_TO_PROMPT
          : Check.REQUEST_PROMPT,
      ),
    ),
    new Prompt(
      { name: 'consent', requestable: true },
      new Check('consent', 'the operator must consent', 'consent_required', (ctx) =>
        ctx.oidc.entities.Grant?.jti === undefined ? Check.REQUEST_PROMPT : Check.NO_NEED_TO_PROMPT,
      ),
    ),
  ]
}

/** Whether whoever asks is the operator with a session that was not ended meanwhile. */
export function isOperatorLive(ctx: KoaContextWithOIDC): boolean {
  const request = askerOf(ctx.req)
  return request !== undefined && operatorOf(request) !== undefined
}

/** The servers an authorization is for, by the resources that were asked for. */
export function audiencesOf({ urls }: FastifyInstance, resource: unknown): { resource: string; server: string }[] {
  return [resource].flat().flatMap((named) => {
    const server = typeof named === 'string' ? urls.serverOf(named) : undefined
    return typeof named === 'string' && server !== undefined ? [{ resource: named, server }] : []
  })
}

/** What an authorization asks for, without what only keeps it alive. */
export const askedScopes = (scope: unknown): string[] => splitScopes(scope).filter((name) => name !== OFFLINE)

/** RFC 6749 §3.3: better refused than silently less. */
function refuseUnknownScopes(app: FastifyInstance, { oidc }: KoaContextWithOIDC): void {
  const { params = {} } = oidc
  const offered = audiencesOf(app, params['resource']).flatMap(({ server }) => app.scopes.offered(server))
  const unknown = unknownScopes(splitScopes(params['scope']), offered)
  if (unknown.length > 0) throw new errors.InvalidScope('requested scope is unknown here', unknown.join(' '))
}
