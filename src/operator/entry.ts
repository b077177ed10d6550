// How the owner comes in: the first password, and signing in with it. Every attempt is counted before anything is compared.
import { createHash, timingSafeEqual } from 'node:crypto'
import { freshSetupCode, hashOfCode } from './codes.ts'
import type { Visitor } from './lockout.ts'
import { loginFailed, operatorExists, setupCodeWrong, type Parts } from './parts.ts'
import { refuseWeak } from './password.ts'
import {
  endSession,
  findOperator,
  hasCode,
  insertOperator,
  replaceCodes,
  replaceHash,
  takeCode,
  type OperatorSession,
} from './queries.ts'
import type { NewSession } from './sessions.ts'

const SETUP_CODE_MS = 30 * 60_000

export async function makeSetupCode({ db, clock }: Parts): Promise<string> {
  const code = freshSetupCode()
  const now = clock.now()
  await db.write((tx) => {
    if (findOperator(tx) !== undefined) throw operatorExists()
    replaceCodes(tx, 'setup', [hashOfCode(code)], now, now + SETUP_CODE_MS)
  })
  return code
}

export interface SetUpRequest extends Visitor {
  readonly password: string
  readonly code: string
}

export async function setUp(parts: Parts, { password, code, ...visitor }: SetUpRequest): Promise<NewSession> {
  const { db, clock, hasher, lockout, sessions, setupToken } = parts
  if (findOperator(db) !== undefined) throw operatorExists()
  await lockout.begin(visitor)
  const isToken = isSame(code, setupToken)
  const hash = hashOfCode(code)
  if (!isToken && !hasCode(db, hash, 'setup', clock.now())) throw setupCodeWrong()
  // Whoever has the code may try passwords until one is good enough.
  await db.write((tx) => lockout.succeed(tx, visitor))
  refuseWeak(password)
  const passwordHash = await hasher.hash(password)
  return await db.write((tx) => {
    if (findOperator(tx) !== undefined) throw operatorExists()
    if (!takeCode(tx, hash, 'setup', clock.now()) && !isToken) throw setupCodeWrong()
    insertOperator(tx, passwordHash, clock.now())
    replaceCodes(tx, 'setup', [], clock.now(), null)
    return sessions.begin(tx, visitor)
  })
}

export interface LoginRequest extends Visitor {
  readonly password: string
  /** Of the app, or a recovery code. */
  readonly code?: string | undefined
  /** The session that this browser had, which ends: an old cookie is worth nothing afterwards. */
  readonly replaces?: OperatorSession | undefined
}

export async function logIn(parts: Parts, request: LoginRequest): Promise<NewSession> {
  const { db, clock, hasher, lockout, factor, sessions } = parts
  const { password, code = '', replaces, ...visitor } = request
  await lockout.begin(visitor)
  const row = findOperator(db)
  const isRight = await hasher.verify(row?.passwordHash, password, visitor.device !== undefined)
  // Both are looked at whatever the other says, so that the time tells nothing.
  const proof = await factor.examine(row, code)
  if (row === undefined || !isRight || proof === undefined) throw loginFailed(parts, visitor, hasFactor(row))
  const renewed = hasher.isOutdated(row.passwordHash) ? await hasher.hash(password) : undefined
  return await db.write((tx) => {
    // What was true before the wait has to be true still: a password that changed meanwhile lets nobody in.
    const isStillRight = findOperator(tx)?.passwordHash === row.passwordHash && proof.use(tx)
    if (!isStillRight) throw loginFailed(parts, visitor, hasFactor(row))
    if (renewed !== undefined) replaceHash(tx, row.passwordHash, renewed)
    lockout.succeed(tx, visitor)
    if (replaces !== undefined) endSession(tx, replaces.id, clock.now())
    return sessions.begin(tx, visitor)
  })
}

/** Whether an owner has a second factor. */
export function hasFactor(row: { readonly totpSealed: string | null } | undefined): boolean {
  return row !== undefined && row.totpSealed !== null
}

/** Compares in constant time, whatever the lengths; nothing is the same as no token. */
function isSame(given: string, token: string | null): boolean {
  const isEqual = timingSafeEqual(digest(given.trim()), digest(token ?? ''))
  return isEqual && token !== null && token !== ''
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()
