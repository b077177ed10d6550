// The second factor of the owner: a code of an authenticator app, each one once, or a recovery code, each one once.
import type { Database, Tx } from '../db/client.ts'
import { AccessError, DomainError } from '../errors.ts'
import type { Clock } from '../runtime/context.ts'
import { TOTP_PURPOSE } from '../secrets/queries.ts'
import type { Vault } from '../secrets/vault.ts'
import { freshRecoveryCode, hashOfCode } from './codes.ts'
import { findOperator, hasCode, replaceCodes, setFactor, takeCode, takeStep, type OperatorRow } from './queries.ts'
import { ShortLived } from './short-lived.ts'
import { freshTotpSecret, stepOf, totpAddress } from './totp.ts'

const RECOVERY_CODES = 10
const ENROLMENT_MS = 15 * 60_000
const LABEL = 'operator'

export interface Enrolment {
  /** Base 32, for apps that cannot read the picture. */
  readonly secret: string
  /** `otpauth://…`, what the picture says. */
  readonly address: string
}

/** A code that was good when it was looked at. */
interface Proof {
  /** Uses it up. @returns whether it was still good */
  use(tx: Tx): boolean
}

export interface SecondFactor {
  /** What a typed code proves; undefined where one is asked for and this is none. */
  examine(row: OperatorRow | undefined, typed: string): Promise<Proof | undefined>
  enrol(sessionId: number): Promise<Enrolment>
  enrolment(sessionId: number): Enrolment | undefined
  /** @param also done in the same write. @returns new recovery codes. @throws DomainError ENROLMENT_OVER, AccessError LOGIN_FAILED */
  confirm(sessionId: number, typed: string, also: (tx: Tx) => void): Promise<readonly string[]>
  disable(): Promise<void>
  /** @throws DomainError FACTOR_MISSING */
  renewRecoveryCodes(): Promise<readonly string[]>
}

const nothingToProve: Proof = { use: () => true }

export function createSecondFactor(db: Database, vault: Vault, clock: Pick<Clock, 'now'>): SecondFactor {
  const begun = new ShortLived<Enrolment>(ENROLMENT_MS)
  return {
    async examine(row, typed) {
      const sealed = row?.totpSealed ?? null
      if (sealed === null) return nothingToProve
      const step = await stepOf(vault.open(sealed, TOTP_PURPOSE), typed, clock.now())
      if (step !== undefined) return { use: (tx) => takeStep(tx, step) }
      const hash = hashOfCode(typed)
      return hasCode(db, hash, 'recovery', clock.now())
        ? { use: (tx) => takeCode(tx, hash, 'recovery', clock.now()) }
        : undefined
    },
    async enrol(sessionId) {
      const secret = await freshTotpSecret()
      const enrolment = { secret, address: await totpAddress(secret, LABEL) }
      begun.put(sessionId, enrolment, clock.now())
      return enrolment
    },
    enrolment: (sessionId) => begun.peek(sessionId, clock.now()),
    async confirm(sessionId, typed, also) {
      const enrolment = begun.peek(sessionId, clock.now())
      if (enrolment === undefined) throw enrolmentOver()
      const step = await stepOf(enrolment.secret, typed, clock.now())
      if (step === undefined) throw wrongCode()
      const codes = makeCodes()
      await db.write((tx) => {
        if (begun.take(sessionId, clock.now()) !== enrolment) throw enrolmentOver()
        setFactor(tx, vault.seal(enrolment.secret, TOTP_PURPOSE), step)
        replaceCodes(tx, 'recovery', codes.map(hashOfCode), clock.now(), null)
        also(tx)
      })
      return codes
    },
    disable: () =>
      db.write((tx) => {
        setFactor(tx, null, null)
        replaceCodes(tx, 'recovery', [], clock.now(), null)
      }),
    async renewRecoveryCodes() {
      const codes = makeCodes()
      await db.write((tx) => {
        if ((findOperator(tx)?.totpSealed ?? null) === null) throw factorMissing()
        replaceCodes(tx, 'recovery', codes.map(hashOfCode), clock.now(), null)
      })
      return codes
    },
  }
}

const makeCodes = (): readonly string[] => Array.from({ length: RECOVERY_CODES }, freshRecoveryCode)

const wrongCode = (): AccessError =>
  new AccessError('unauthenticated', 'LOGIN_FAILED', 'This code is wrong.', {
    hint: 'Type the one that the app shows now, and see that the clock of the device is right.',
  })

const enrolmentOver = (): DomainError =>
  new DomainError('conflict', 'ENROLMENT_OVER', 'This took too long, so the second factor was not turned on.', {
    hint: 'Begin again.',
  })

const factorMissing = (): DomainError =>
  new DomainError('conflict', 'FACTOR_MISSING', 'There is no second factor, so there is nothing to recover.')
