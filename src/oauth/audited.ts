// What becomes of authorizations and local tokens, for the audit trail: the same operations, each with a row.
import type { AccessEvent, AccessEventName, AuditLog } from '../db/audit.ts'
import { GatewayError } from '../errors.ts'
import type { Authorizations } from './authorizations.ts'
import type { KnownClients } from './known-clients.ts'
import type { LocalToken, LocalTokens } from './local-tokens.ts'

/** Who acts: the owner at the dashboard, or whoever has the terminal. */
type Actor = 'operator' | 'cli'

export function auditedAuthorizations(
  authorizations: Authorizations,
  audit: Pick<AuditLog, 'access'>,
  by: Actor = 'operator',
): Authorizations {
  const note = (event: Pick<AccessEvent, 'event' | 'outcome' | 'client' | 'subject'>): void =>
    audit.access({ caller: by, callerKind: by, ...event })
  return {
    ...authorizations,
    async add(authorization) {
      const id = await authorizations.add(authorization)
      note({ event: 'consent', outcome: 'ok', client: authorization.clientName, subject: `oauth:${id}` })
      return id
    },
    async revoke(id) {
      const subject = `oauth:${id}`
      try {
        await authorizations.revoke(id)
        note({ event: 'authorization_revoke', outcome: 'ok', subject })
      } catch (error) {
        if (error instanceof GatewayError) note({ event: 'authorization_revoke', outcome: error.code, subject })
        throw error
      }
    },
    async revokeAll() {
      const count = await authorizations.revokeAll()
      note({ event: 'authorization_revoke', outcome: 'ok', subject: 'oauth:all' })
      return count
    },
  }
}

export function auditedClients(clients: KnownClients, audit: Pick<AuditLog, 'access'>): KnownClients {
  const note = (event: 'consent_forget' | 'client_forget', subject: string, client?: string): void =>
    audit.access({ caller: 'operator', callerKind: 'operator', event, outcome: 'ok', subject, client })
  return {
    ...clients,
    async forgetConsent(key) {
      const consent = await clients.forgetConsent(key)
      note('consent_forget', `client:${consent.clientId}`, consent.clientName)
      return consent
    },
    async forgetConsents() {
      const count = await clients.forgetConsents()
      note('consent_forget', 'client:all')
      return count
    },
    async forget(key) {
      const client = await clients.forget(key)
      note('client_forget', `client:${client.clientId}`, client.name)
      return client
    },
  }
}

export function auditedTokens(tokens: LocalTokens, audit: Pick<AuditLog, 'access'>, by: () => Actor): LocalTokens {
  const noted = async <T extends Pick<LocalToken, 'id' | 'name'>>(
    event: AccessEventName,
    work: Promise<T>,
    key?: number | string,
  ): Promise<T> => {
    const actor = { event, caller: by(), callerKind: by() }
    try {
      const token = await work
      audit.access({ ...actor, outcome: 'ok', client: token.name, subject: `local:${token.id}` })
      return token
    } catch (error) {
      if (error instanceof GatewayError)
        audit.access({ ...actor, outcome: error.code, subject: key === undefined ? undefined : `local:${key}` })
      throw error
    }
  }
  return {
    ...tokens,
    create: (request) => noted('local_token_create', tokens.create(request)),
    rotate: (key) => noted('local_token_rotate', tokens.rotate(key), key),
    revoke: (key) => noted('local_token_revoke', tokens.revoke(key), key),
    async revokeAll() {
      const count = await tokens.revokeAll()
      const event = 'local_token_revoke'
      audit.access({ event, caller: by(), callerKind: by(), outcome: 'ok', subject: 'local:all' })
      return count
    },
  }
}
