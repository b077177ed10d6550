// What signing in is made of, put together once, and the ways it is refused.
import type { Database } from '../db/client.ts'
import { AccessError, DomainError } from '../errors.ts'
import type { Clock, Log } from '../runtime/context.ts'
import type { Lockout, Visitor } from './lockout.ts'
import type { PasswordHasher } from './password-hash.ts'
import type { SecondFactor } from './second-factor.ts'
import type { Sessions } from './sessions.ts'

export interface Parts {
  readonly db: Database
  readonly clock: Pick<Clock, 'now'>
  readonly log: Log
  readonly hasher: PasswordHasher
  readonly lockout: Lockout
  readonly sessions: Sessions
  readonly factor: SecondFactor
  readonly setupToken: string | null
}

/** A login that was refused, told without saying which part was wrong. */
export function loginFailed({ log }: Parts, { address }: Visitor, hasFactor: boolean): AccessError {
  log.warn({ address }, 'a login failed')
  const what = hasFactor ? 'The password or the code is wrong.' : 'The password is wrong.'
  return new AccessError('unauthenticated', 'LOGIN_FAILED', what)
}

export const setupCodeWrong = (): AccessError =>
  new AccessError('unauthenticated', 'SETUP_CODE_WRONG', 'This code is wrong, used or older than half an hour.', {
    hint: '`bin/crow operator setup-code` shows a new one.',
  })

export const operatorExists = (): DomainError =>
  new DomainError('conflict', 'OPERATOR_EXISTS', 'This gateway has a password already.', {
    hint: 'Sign in with it, or set another on the terminal with `bin/crow operator password`.',
  })
