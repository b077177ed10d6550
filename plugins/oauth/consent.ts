// What the consent page shows of an authorization request.
import type { FastifyInstance } from 'fastify'
import type { Client, Provider } from 'oidc-provider'
import { hostOfRedirect, isLocal } from '../../src/oauth/redirects.ts'
import { isReading, OFFLINE, splitScopes } from '../../src/oauth/scopes.ts'
import type { Consent } from '../../src/pages/consent.ts'
import { DEFAULTED } from './defaulted.ts'

type Details = Awaited<ReturnType<Provider['interactionDetails']>>

export function consentOf({ scopes, urls }: FastifyInstance, client: Client, { params, uid }: Details): Consent {
  const asked = splitScopes(params['scope']).filter((scope) => scope !== OFFLINE)
  // Nobody asked for anything in particular: reading is enough to begin with.
  const isDefault = params[DEFAULTED] !== undefined
  const servers = [params['resource']].flat().map((resource) => urls.serverOf(String(resource)) ?? '')
  return {
    base: urls.basePath,
    action: `/interaction/${uid}`,
    clientName: client.clientName ?? '',
    redirectHost: hostOfRedirect(String(params['redirect_uri'])),
    loopbackOnly: isLocal(String(params['redirect_uri'])),
    ...(client.clientId.startsWith('https://') ? { clientHost: new URL(client.clientId).host } : {}),
    scopes: asked.map((scope) => ({
      scope,
      sentence: scopes.sentenceOf(scope),
      ticked: !isDefault || isReading(scope),
    })),
    audienceName: servers.map((server) => scopes.nameOf(server)).join(', '),
  }
}
