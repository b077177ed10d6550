// The password given again before something is changed, and the password itself changed.
import type { Visitor } from './lockout.ts'
import { loginFailed, type Parts } from './parts.ts'
import { refuseWeak } from './password.ts'
import { dropFailures, endSessions, findOperator, insertOperator, replaceCodes, updatePassword } from './queries.ts'
import type { NewSession } from './sessions.ts'

/** Counts, then compares. @returns the hash that fitted. @throws AccessError LOGIN_FAILED, LOGIN_LOCKED */
export async function provePassword(parts: Parts, password: string, visitor: Visitor): Promise<string> {
  const { db, hasher, lockout } = parts
  await lockout.begin(visitor)
  const stored = findOperator(db)?.passwordHash
  const isRight = await hasher.verify(stored, password, visitor.device !== undefined)
  if (!isRight || stored === undefined) throw loginFailed(parts, visitor, false)
  await db.write((tx) => lockout.succeed(tx, visitor))
  return stored
}

export interface PasswordChange extends Visitor {
  readonly current: string
  readonly next: string
}

export async function changePassword(parts: Parts, { current, next, ...visitor }: PasswordChange): Promise<NewSession> {
  const { db, clock, hasher, sessions } = parts
  const proven = await provePassword(parts, current, visitor)
  refuseWeak(next, current)
  const passwordHash = await hasher.hash(next)
  return await db.write((tx) => {
    if (findOperator(tx)?.passwordHash !== proven) throw loginFailed(parts, visitor, false)
    updatePassword(tx, passwordHash, clock.now())
    endSessions(tx, clock.now())
    return sessions.begin(tx, visitor)
  })
}

export async function setPassword({ db, clock, hasher }: Parts, password: string): Promise<void> {
  refuseWeak(password)
  const passwordHash = await hasher.hash(password)
  await db.write((tx) => {
    if (findOperator(tx) === undefined) insertOperator(tx, passwordHash, clock.now())
    else updatePassword(tx, passwordHash, clock.now())
    replaceCodes(tx, 'setup', [], clock.now(), null)
    endSessions(tx, clock.now())
    dropFailures(tx)
  })
}
