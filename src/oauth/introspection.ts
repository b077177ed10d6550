// What a token is worth right now, for the owner's own programs (RFC 7662 §2.2).
import type { Database } from '../db/client.ts'
import type { Clock } from '../runtime/context.ts'
import type { Addresses } from './addresses.ts'
import { keyOf } from './store/conceal.ts'
import { findAuthorized } from './store/queries.ts'

export interface IntrospectionGround {
  readonly database: Database
  readonly clock: Clock
  readonly urls: Addresses
}

export type Introspection =
  | { readonly active: false }
  | {
      readonly active: true
      readonly scope: string
      readonly client_id: string
      readonly sub: string
      readonly aud?: string
      readonly iss: string
      /** Seconds. */
      readonly exp: number
      readonly iat: number
      readonly token_type?: 'Bearer'
    }

export function describeToken({ database, clock, urls }: IntrospectionGround, token: string): Introspection {
  for (const model of ['AccessToken', 'RefreshToken'] as const) {
    const row = findAuthorized(database, keyOf(model, token))
    if (row === undefined) continue
    const { payload, expiresAt, consumedAt, createdAt, clientId } = row.token
    if (consumedAt !== null || expiresAt === null || expiresAt <= clock.now()) break
    const { aud, scope, accountId } = payload
    return {
      active: true,
      scope: typeof scope === 'string' ? scope : '',
      client_id: clientId ?? '',
      sub: typeof accountId === 'string' ? accountId : '',
      ...(typeof aud === 'string' ? { aud } : {}),
      iss: urls.issuer,
      exp: Math.floor(expiresAt / 1000),
      iat: Math.floor(createdAt / 1000),
      ...(model === 'AccessToken' ? { token_type: 'Bearer' as const } : {}),
    }
  }
  return { active: false }
}
