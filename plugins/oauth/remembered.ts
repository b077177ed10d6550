// The grant of an authorization request: the one consented to just now, or a new one by a consent that is remembered.
import type { Grant, KoaContextWithOIDC } from 'oidc-provider'
import type { FastifyInstance } from 'fastify'
import { consentRequestOf, grantFor, mayRemember } from './grant.ts'
import { isOperatorLive } from './policy.ts'

/** Never a grant of another authorization: a replay that revokes one device would log out the others. */
export async function rememberedGrant(app: FastifyInstance, ctx: KoaContextWithOIDC): Promise<Grant | undefined> {
  const { client, params = {}, provider, result } = ctx.oidc
  const consented = result?.consent?.grantId
  if (consented !== undefined) return provider.Grant.find(consented)
  const redirectUri = params['redirect_uri']
  if (client === undefined || typeof redirectUri !== 'string' || !mayRemember(client, redirectUri)) return undefined
  if (ctx.oidc.prompts.has('consent') || ctx.oidc.promptPending('login')) return undefined
  if (!isOperatorLive(ctx)) return undefined
  const granted = app.authorizations.remembered(consentRequestOf(app, { client, params }))
  if (granted === undefined) return undefined
  return provider.Grant.find(await grantFor(app, provider, { client, params, granted }))
}
