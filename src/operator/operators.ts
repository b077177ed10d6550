// The owner of this gateway: the first password, signing in, the second factor, sessions.
import type { Database } from '../db/client.ts'
import type { Clock, Log } from '../runtime/context.ts'
import type { Vault } from '../secrets/vault.ts'
import { hasFactor, logIn, makeSetupCode, setUp, type LoginRequest, type SetUpRequest } from './entry.ts'
import { createLockout, type Visitor } from './lockout.ts'
import type { Parts } from './parts.ts'
import { changePassword, provePassword, setPassword, type PasswordChange } from './password-change.ts'
import { createPasswordHasher } from './password-hash.ts'
import { countCodes, dropFailures, findOperator, type OperatorSession } from './queries.ts'
import { createSecondFactor, type Enrolment } from './second-factor.ts'
import { createSessions, type NewSession } from './sessions.ts'

export interface Operators {
  /** Whether there is a password. */
  exists(): boolean
  hasSecondFactor(): boolean
  /** How many recovery codes can still be used. */
  recoveryCodesLeft(): number
  /** Makes the one-time code for the first password, in place of an earlier one. It lasts half an hour. @throws DomainError OPERATOR_EXISTS */
  makeSetupCode(): Promise<string>
  /** Sets the first password and signs in. Of two at once, one does. @throws DomainError OPERATOR_EXISTS, PASSWORD_WEAK; AccessError SETUP_CODE_WRONG, LOGIN_LOCKED */
  setUp(request: SetUpRequest): Promise<NewSession>
  /** Signs in. @throws AccessError LOGIN_FAILED, LOGIN_LOCKED */
  login(request: LoginRequest): Promise<NewSession>
  /** The live session of a cookie's secret. */
  sessionOf(secret: string): OperatorSession | undefined
  /** Whether this session is live. */
  isLive(id: number): boolean
  sessions(): OperatorSession[]
  revoke(id: number): Promise<boolean>
  revokeAll(exceptId?: number): Promise<number>
  /** Ends every session and begins a new one for whoever changed it. @throws AccessError LOGIN_FAILED, LOGIN_LOCKED; DomainError PASSWORD_WEAK */
  changePassword(request: PasswordChange): Promise<NewSession>
  /** Sets the password for whoever has the terminal, also the first one, and ends every session. @throws DomainError PASSWORD_WEAK */
  setPassword(password: string): Promise<void>
  /** Begins a second factor, once the password was given. @throws AccessError LOGIN_FAILED, LOGIN_LOCKED */
  enrolFactor(session: OperatorSession, password: string, visitor: Visitor): Promise<Enrolment>
  /** The second factor that this session began and has not confirmed yet. */
  enrolment(session: OperatorSession): Enrolment | undefined
  /** Turns the second factor on with its first code. @returns the recovery codes, shown this once. @throws AccessError LOGIN_FAILED, LOGIN_LOCKED; DomainError ENROLMENT_OVER */
  confirmFactor(session: OperatorSession, code: string, visitor: Visitor): Promise<readonly string[]>
  /** Turns it off. Without a password only for whoever has the terminal. */
  disableFactor(proof?: { password: string; visitor: Visitor }): Promise<void>
  /** New recovery codes in place of the old ones. @throws AccessError LOGIN_FAILED, LOGIN_LOCKED; DomainError FACTOR_MISSING */
  makeRecoveryCodes(password: string, visitor: Visitor): Promise<readonly string[]>
  /** Forgets the failed attempts, for whoever has the terminal. */
  forgiveFailures(): Promise<void>
}

export interface OperatorsOptions {
  /** The value of CROW_SETUP_TOKEN, which serves as a code for the first password. */
  readonly setupToken?: string | null
  /** Waits; tests pass their own. */
  readonly pause?: (ms: number) => Promise<void>
}

export function createOperators(
  db: Database,
  vault: Vault,
  clock: Clock,
  log: Log,
  options: OperatorsOptions = {},
): Operators {
  const lockout = createLockout(db, clock, options.pause)
  const sessions = createSessions(db, clock, log)
  const factor = createSecondFactor(db, vault, clock)
  const hasher = createPasswordHasher()
  const parts: Parts = { db, clock, log, hasher, lockout, sessions, factor, setupToken: options.setupToken ?? null }
  return {
    exists: () => findOperator(db) !== undefined,
    hasSecondFactor: () => hasFactor(findOperator(db)),
    recoveryCodesLeft: () => countCodes(db, 'recovery'),
    makeSetupCode: () => makeSetupCode(parts),
    setUp: (request) => setUp(parts, request),
    login: (request) => logIn(parts, request),
    sessionOf: (secret) => sessions.find(secret),
    isLive: (id) => sessions.list().some((session) => session.id === id),
    sessions: () => sessions.list(),
    revoke: (id) => sessions.end(id),
    revokeAll: (exceptId) => sessions.endAll(exceptId),
    changePassword: (request) => changePassword(parts, request),
    setPassword: (password) => setPassword(parts, password),
    async enrolFactor(session, password, visitor) {
      await provePassword(parts, password, visitor)
      return await factor.enrol(session.id)
    },
    enrolment: (session) => factor.enrolment(session.id),
    async confirmFactor(session, code, visitor) {
      await lockout.begin(visitor)
      return await factor.confirm(session.id, code, (tx) => lockout.succeed(tx, visitor))
    },
    async disableFactor(proof) {
      if (proof !== undefined) await provePassword(parts, proof.password, proof.visitor)
      await factor.disable()
    },
    async makeRecoveryCodes(password, visitor) {
      await provePassword(parts, password, visitor)
      return await factor.renewRecoveryCodes()
    },
    forgiveFailures: () => db.write((tx) => dropFailures(tx)),
  }
}
