// One consent is one grant and one authorization: what is issued for it lives and ends together, and touches no other device.
import type { Client, Provider } from 'oidc-provider'
import type { FastifyInstance } from 'fastify'
import { EVERY_SERVER } from '../../src/oauth/addresses.ts'
import { keptDocument } from '../../src/oauth/client-documents.ts'
import { hostOfRedirect, identifiesClient, isLocal } from '../../src/oauth/redirects.ts'
import { inert } from '../../src/pages/inert.ts'
import { OFFLINE, splitScopes } from '../../src/oauth/scopes.ts'
import { askedScopes, audiencesOf, OPERATOR } from './policy.ts'

export interface Consent {
  readonly client: Client
  /** Parameters of the authorization request. */
  readonly params: Readonly<Record<string, unknown>>
  /** Of the scopes that were asked for. */
  readonly granted: readonly string[]
}

/** @returns the id of the grant */
export async function grantFor(app: FastifyInstance, provider: Provider, consent: Consent): Promise<string> {
  const { client, params, granted } = consent
  const audiences = audiencesOf(app, params['resource'])
  const asked = askedScopes(params['scope'])
  const grant = new provider.Grant({ accountId: OPERATOR, clientId: client.clientId })
  for (const { resource, server } of audiences) {
    const offered = app.scopes.offered(server).filter((scope) => asked.includes(scope))
    const kept = offered.filter((scope) => granted.includes(scope))
    const refused = offered.filter((scope) => !granted.includes(scope))
    if (kept.length > 0) grant.addResourceScope(resource, kept.join(' '))
    if (refused.length > 0) grant.rejectResourceScope(resource, refused.join(' '))
  }
  if (splitScopes(params['scope']).includes(OFFLINE)) grant.addOIDCScope(OFFLINE)
  const grantId = await grant.save()
  await app.authorizations.add({
    grantId,
    clientId: client.clientId,
    clientName: inert(client.clientName ?? ''),
    redirectHost: hostOfRedirect(String(params['redirect_uri'])),
    server: audiences.length === 1 && audiences[0] !== undefined ? serverColumn(audiences[0].server) : null,
    scopes: granted,
    document: documentOf(client),
  })
  return grantId
}

/** What a client said of itself in its document; nothing of one that registered. */
function documentOf(client: Client): Record<string, unknown> | undefined {
  return Reflect.get(client, 'clientIdMetadataDocument') === true
    ? keptDocument({ ...client.metadata() }, client.clientId)
    : undefined
}

const serverColumn = (server: string): string | null => (server === EVERY_SERVER ? null : server)

/** Programs on a machine share it with others, so that the redirect does not tell who asks: they are asked about each time. */
export function mayRemember(client: Client, redirectUri: string): boolean {
  return client.applicationType === 'web' && !(client.redirectUris ?? []).some(isLocal) && identifiesClient(redirectUri)
}

/** What a consent is remembered under. */
export function consentRequestOf(app: FastifyInstance, { client, params }: Omit<Consent, 'granted'>) {
  return {
    clientId: client.clientId,
    redirectUri: String(params['redirect_uri']),
    audience: audiencesOf(app, params['resource'])
      .map(({ server }) => app.urls.audienceOf(server))
      .toSorted()
      .join(' '),
    asked: askedScopes(params['scope']),
  }
}
