// Verifying an access token: one hash and one look-up in our own table. Needs nothing of the authorization server's code.
import type { Database } from '../db/client.ts'
import { AccessError } from '../errors.ts'
import type { Clock, Log } from '../runtime/context.ts'
import type { Addresses } from './addresses.ts'
import { splitScopes } from './scopes.ts'
import { keyOf } from './store/conceal.ts'
import { findAuthorized, markAuthorizationUsed } from './store/queries.ts'
import { createUseLog } from './use-log.ts'
import type { VerifiedToken } from './verified.ts'

/** Marks an access token for people, secret scanners and the masking of logs. */
export const ACCESS_PREFIX = 'crow_access_'

export interface AccessTokens {
  /** @throws AccessError TOKEN_INVALID */
  verify(token: string): VerifiedToken
  /** When an authorization was last used, noted here and not written yet included. */
  lastUse(authorizationId: number, written: number | null): number | null
  /** Writes the last uses. */
  close(): Promise<void>
}

/** @param options.watch whether last uses are written on a timer */
export function createAccessTokens(
  db: Database,
  addresses: Addresses,
  clock: Clock,
  options: { readonly watch: boolean; readonly log: Log },
): AccessTokens {
  const uses = createUseLog(db, { ...options, mark: markAuthorizationUsed })
  const find = (key: string, now: number) => {
    const row = findAuthorized(db, key)
    if (row === undefined || row.token.expiresAt === null || row.token.expiresAt <= now) return undefined
    const { aud, scope } = row.token.payload
    // A token of another issuer, or for an address this gateway no longer has, is for nobody here.
    const server = typeof aud === 'string' ? addresses.serverOf(aud) : undefined
    return server === undefined || typeof scope !== 'string' ? undefined : { ...row, server, scope }
  }
  return {
    verify(token) {
      const key = keyOf('AccessToken', token)
      const found = token.startsWith(ACCESS_PREFIX) ? find(key, clock.now()) : undefined
      if (found === undefined) throw invalidToken()
      const { authorization, server, scope } = found
      return {
        caller: Object.freeze({
          id: `oauth:${authorization.id}`,
          kind: 'oauth',
          scopes: new Set(splitScopes(scope)),
          client: authorization.clientName,
          clientId: authorization.clientId,
        }),
        server,
        expiresAt: found.token.expiresAt ?? 0,
        used: uses.recorder(authorization.id),
        isGood: (at) => find(key, at) !== undefined,
      }
    },
    lastUse: (id, written) => uses.latest(id, written),
    close: () => uses.close(),
  }
}

function invalidToken(): AccessError {
  return new AccessError('unauthenticated', 'TOKEN_INVALID', 'This token is unknown, expired or revoked.', {
    hint: 'Connect again.',
  })
}
