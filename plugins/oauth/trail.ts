// What the authorization server does, for the audit trail: who registered, was let in, came back, or was sent away.
import type { KoaContextWithOIDC, Provider } from 'oidc-provider'
import type { FastifyInstance } from 'fastify'
import type { AccessEvent } from '../../src/db/audit.ts'
import { inert } from '../../src/pages/inert.ts'
import { askerOf } from './ask.ts'

const CLIENT_CHARS_MAX = 128

export function noteEvents({ audit, authorizations }: FastifyInstance, provider: Provider): void {
  const note = (ctx: KoaContextWithOIDC, event: Pick<AccessEvent, 'event' | 'outcome'>, grantId?: string): void => {
    const { client, entities } = ctx.oidc
    const family = grantId ?? entities.Grant?.jti
    const number = family === undefined ? undefined : authorizations.numberOf(family)
    const name = client === undefined ? undefined : inert(client.clientName ?? '')
    const unnamed = client === undefined ? undefined : `client:${client.clientId.slice(0, CLIENT_CHARS_MAX)}`
    audit.access({
      ...event,
      caller: number === undefined ? unnamed : `oauth:${number}`,
      callerKind: client === undefined ? 'stranger' : 'oauth',
      client: name === '' ? undefined : name,
      address: askerOf(ctx.req)?.ip,
      ...(number === undefined ? {} : { subject: unnamed }),
    })
  }
  provider.on('registration_create.success', (ctx, client) => {
    const name = inert(client.clientName ?? '')
    const subject = `client:${client.clientId}`
    audit.access({ event: 'client_register', outcome: 'ok', client: name, subject, address: askerOf(ctx.req)?.ip })
  })
  provider.on('grant.success', (ctx) => note(ctx, { event: tokenEvent(ctx), outcome: 'ok' }))
  provider.on('grant.error', (ctx, error) => note(ctx, { event: tokenEvent(ctx), outcome: error.error }))
  provider.on('grant.revoked', (ctx, grantId) => {
    const isReuse = ctx.oidc.route === 'token'
    note(ctx, { event: isReuse ? 'refresh_reuse' : 'token_revoke', outcome: isReuse ? 'refused' : 'ok' }, grantId)
  })
  provider.on('authorization.error', (ctx, error) => {
    if (error.error === 'access_denied') note(ctx, { event: 'consent', outcome: 'access_denied' })
  })
}

function tokenEvent({ oidc: { params } }: KoaContextWithOIDC): 'token_issue' | 'token_refresh' {
  return params?.['grant_type'] === 'refresh_token' ? 'token_refresh' : 'token_issue'
}
