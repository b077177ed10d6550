// A bearer token that lives as long as its process, for the other processes of the same user. It is written only where
// nobody else may read (`run/gateway.json`), and no table knows it.
import { randomBytes, timingSafeEqual } from 'node:crypto'
import { OTHER_PROCESS } from '../runtime/ledger/tally.ts'
import { EVERY_SERVER } from './addresses.ts'
import { digestOf, type VerifiedToken } from './verified.ts'

/** Marks it as one of ours, for secret scanners and the masking of logs. */
const PREFIX = 'crow_local_process_'

export interface ProcessKey {
  readonly secret: string
  readonly verified: VerifiedToken
  isIt(token: string): boolean
}

export function createProcessKey(): ProcessKey {
  const secret = PREFIX + randomBytes(32).toString('base64url')
  const digest = Buffer.from(digestOf(secret))
  return {
    secret,
    isIt: (token) => token.startsWith(PREFIX) && timingSafeEqual(Buffer.from(digestOf(token)), digest),
    verified: {
      caller: Object.freeze({ id: OTHER_PROCESS, kind: 'local', scopes: 'all', client: 'another process' }),
      server: EVERY_SERVER,
      expiresAt: Infinity,
      used: () => undefined,
      isGood: () => true,
    },
  }
}
