// Operators on a database and a key of their own, with a clock that tests move and pauses that take no time.
import { dirname } from 'node:path'
import type { TestContext } from 'node:test'
import { TOTP, Secret } from 'otpauth'
import type { Database } from '../../../src/db/client.ts'
import { createLog } from '../../../src/lib/log.ts'
import type { Visitor } from '../../../src/operator/lockout.ts'
import { createOperators, type Operators, type OperatorsOptions } from '../../../src/operator/operators.ts'
import { openVault } from '../../../src/secrets/vault.ts'
import { temporaryDatabase } from '../db/temporary.ts'

export const PASSWORD = 'three quiet otters in the harbour'
export const VISITOR: Visitor = Object.freeze({ address: '192.0.2.7', userAgent: 'Firefox/140.0' })

export interface Owner {
  readonly operators: Operators
  readonly db: Database
  readonly time: { now: number }
  /** How long attempts had to wait. */
  readonly pauses: number[]
  /** Lines of the log. */
  readonly lines: string[]
  /** Another process on the same data. */
  readonly another: (db: Database) => Operators
}

export async function freshOwner(t: TestContext, options: OperatorsOptions = {}): Promise<Owner> {
  const db = await temporaryDatabase(t)
  const time = { now: Date.UTC(2026, 10, 30) }
  const pauses: number[] = []
  const lines: string[] = []
  const log = createLog({ level: 'debug', write: (line) => void lines.push(line) })
  const pause = (ms: number): Promise<void> => {
    pauses.push(ms)
    return Promise.resolve()
  }
  const another = (on: Database): Operators =>
    createOperators(on, openVault({ dataDir: dirname(db.path) }), { now: () => time.now }, log, { pause, ...options })
  return { operators: another(db), db, time, pauses, lines, another }
}

/** One that has a password. */
export async function setUpOwner(t: TestContext, options: OperatorsOptions = {}): Promise<Owner> {
  const owner = await freshOwner(t, options)
  await owner.operators.setPassword(PASSWORD)
  return owner
}

/** The code that an app shows. */
export function appCode(secret: string, now: number): string {
  return new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: now })
}
