// What becomes of authorizations and local tokens, for the audit trail: the same operations, each with a row.
import type { AccessEvent, AccessEventName, AuditLog } from '../db/audit.ts'
import { GatewayError } from '../errors.ts'
import type { Authorizations } from './authorizations.ts'
import type { LocalToken, LocalTokens } from './local-tokens.ts'

export function auditedAuthorizations(authorizations: Authorizations, audit: Pick<AuditLog, 'access'>): Authorizations {
  const note = (event: Pick<AccessEvent, 'event' | 'outcome' | 'client' | 'subject'>): void =>
    audit.access({ caller: 'operator', callerKind: 'operator', ...event })
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

/** @param by who acts: the owner at the dashboard, or whoever has the terminal */
export function auditedTokens(
  tokens: LocalTokens,
  audit: Pick<AuditLog, 'access'>,
  by: () => 'operator' | 'cli',
): LocalTokens {
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
  }
}
