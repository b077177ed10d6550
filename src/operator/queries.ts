// SQL of the owner of this gateway: password, second factor, sessions, one-time codes, failed logins. Hashes go in and never come out.
import { and, asc, count as countOf, eq, gt, isNull, lt, lte, ne, or, sql } from 'drizzle-orm'
import type { Database, Tx } from '../db/client.ts'
import { loginFailures, oneTimeCodes, operators, operatorSessions } from '../db/schema/operator.ts'

type Reading = Pick<Database, 'orm'>

const ID = 1

export type OperatorRow = typeof operators.$inferSelect

export function findOperator({ orm }: Reading): OperatorRow | undefined {
  return orm.select().from(operators).where(eq(operators.id, ID)).get()
}

export function insertOperator({ orm }: Tx, passwordHash: string, now: number): void {
  orm.insert(operators).values({ id: ID, passwordHash, passwordChangedAt: now, createdAt: now }).run()
}

export function updatePassword({ orm }: Tx, passwordHash: string, now: number): void {
  orm.update(operators).set({ passwordHash, passwordChangedAt: now }).where(eq(operators.id, ID)).run()
}

/** Puts the hash of the same password under newer parameters, unless the password changed meanwhile. */
export function replaceHash({ orm }: Tx, before: string, after: string): void {
  orm.update(operators).set({ passwordHash: after }).where(eq(operators.passwordHash, before)).run()
}

export function setFactor({ orm }: Tx, totpSealed: string | null, totpLastStep: number | null): void {
  orm.update(operators).set({ totpSealed, totpLastStep }).where(eq(operators.id, ID)).run()
}

/** Takes a time step, once. @returns whether it, or a later one, had not been taken before */
export function takeStep({ orm }: Tx, step: number): boolean {
  const isLater = or(isNull(operators.totpLastStep), lt(operators.totpLastStep, step))
  return orm.update(operators).set({ totpLastStep: step }).where(isLater).run().changes === 1
}

const sessionColumns = {
  id: operatorSessions.id,
  userAgent: operatorSessions.userAgent,
  address: operatorSessions.address,
  createdAt: operatorSessions.createdAt,
  lastSeenAt: operatorSessions.lastSeenAt,
  expiresAt: operatorSessions.expiresAt,
}

/** A session as it may be shown. */
export interface OperatorSession {
  readonly id: number
  readonly userAgent: string
  readonly address: string
  /** Epoch milliseconds, as all times here. */
  readonly createdAt: number
  readonly lastSeenAt: number
  readonly expiresAt: number
}

const prepareSession = (db: Database) =>
  db.orm
    .select(sessionColumns)
    .from(operatorSessions)
    .where(and(eq(operatorSessions.hash, sql.placeholder('hash')), isNull(operatorSessions.revokedAt)))
    .prepare()
const sessionByHash = new WeakMap<Database, ReturnType<typeof prepareSession>>()

/** The session with this hash that was not revoked. */
export function findSession(db: Database, hash: Buffer): OperatorSession | undefined {
  let statement = sessionByHash.get(db)
  if (statement === undefined) {
    statement = prepareSession(db)
    sessionByHash.set(db, statement)
  }
  return statement.get({ hash })
}

/** Sessions that were not revoked, the one seen last first. */
export function listSessions({ orm }: Reading): OperatorSession[] {
  return orm
    .select(sessionColumns)
    .from(operatorSessions)
    .where(isNull(operatorSessions.revokedAt))
    .orderBy(sql`${operatorSessions.lastSeenAt} desc`, asc(operatorSessions.id))
    .all()
}

export function insertSession(
  { orm }: Tx,
  row: Omit<OperatorSession, 'id'> & { readonly hash: Buffer },
): OperatorSession {
  return orm.insert(operatorSessions).values(row).returning(sessionColumns).get()
}

export function markSeen({ orm }: Tx, id: number, now: number): void {
  orm.update(operatorSessions).set({ lastSeenAt: now }).where(eq(operatorSessions.id, id)).run()
}

/** Ends one session. @returns whether it was live */
export function endSession({ orm }: Tx, id: number, now: number): boolean {
  const isIt = and(eq(operatorSessions.id, id), isNull(operatorSessions.revokedAt))
  return orm.update(operatorSessions).set({ revokedAt: now }).where(isIt).run().changes === 1
}

/** Ends every session but one. @returns how many */
export function endSessions({ orm }: Tx, now: number, exceptId = 0): number {
  const isOther = and(ne(operatorSessions.id, exceptId), isNull(operatorSessions.revokedAt))
  return orm.update(operatorSessions).set({ revokedAt: now }).where(isOther).run().changes
}

/** Forgets sessions that ended, and codes that can no longer be used. */
export function sweep({ orm }: Tx, now: number, keptMs: number): void {
  const isOver = or(lte(operatorSessions.expiresAt, now), lt(operatorSessions.revokedAt, now - keptMs))
  orm.delete(operatorSessions).where(isOver).run()
  orm.delete(oneTimeCodes).where(lte(oneTimeCodes.expiresAt, now)).run()
}

type Purpose = (typeof oneTimeCodes.$inferSelect)['purpose']

const isUsable = (hash: Buffer, purpose: Purpose, now: number) =>
  and(
    eq(oneTimeCodes.hash, hash),
    eq(oneTimeCodes.purpose, purpose),
    isNull(oneTimeCodes.usedAt),
    or(isNull(oneTimeCodes.expiresAt), gt(oneTimeCodes.expiresAt, now)),
  )

export function hasCode({ orm }: Reading, hash: Buffer, purpose: Purpose, now: number): boolean {
  return (
    orm
      .select({ one: sql`1` })
      .from(oneTimeCodes)
      .where(isUsable(hash, purpose, now))
      .get() !== undefined
  )
}

/** Uses a code up. @returns whether it could still be used */
export function takeCode({ orm }: Tx, hash: Buffer, purpose: Purpose, now: number): boolean {
  return (
    orm
      .update(oneTimeCodes)
      .set({ usedAt: now })
      .where(isUsable(hash, purpose, now))
      .run().changes === 1
  )
}

/** Puts codes in place of all earlier ones of their purpose. */
export function replaceCodes(
  { orm }: Tx,
  purpose: Purpose,
  hashes: readonly Buffer[],
  now: number,
  expiresAt: number | null,
): void {
  orm.delete(oneTimeCodes).where(eq(oneTimeCodes.purpose, purpose)).run()
  for (const hash of hashes) orm.insert(oneTimeCodes).values({ hash, purpose, createdAt: now, expiresAt }).run()
}

/** How many codes of this purpose are left. */
export function countCodes({ orm }: Reading, purpose: Purpose): number {
  const isLeft = and(eq(oneTimeCodes.purpose, purpose), isNull(oneTimeCodes.usedAt))
  return orm.select({ count: countOf() }).from(oneTimeCodes).where(isLeft).get()?.count ?? 0
}

export type FailureRow = typeof loginFailures.$inferSelect

export function findFailures({ orm }: Reading, key: string): FailureRow | undefined {
  return orm.select().from(loginFailures).where(eq(loginFailures.key, key)).get()
}

export function putFailures({ orm }: Tx, row: FailureRow): void {
  const { count, lastAt, lockedUntil } = row
  orm
    .insert(loginFailures)
    .values(row)
    .onConflictDoUpdate({ target: loginFailures.key, set: { count, lastAt, lockedUntil } })
    .run()
}

/** Forgets the failures of one key, or of all. */
export function dropFailures({ orm }: Tx, key?: string): void {
  orm
    .delete(loginFailures)
    .where(key === undefined ? undefined : eq(loginFailures.key, key))
    .run()
}

/** Keeps the table small: what is too old goes, and where there are too many, the oldest tenth. */
export function trimFailures({ orm }: Tx, before: number, rowsMax: number): void {
  orm.delete(loginFailures).where(lt(loginFailures.lastAt, before)).run()
  const rows = orm.select({ count: countOf() }).from(loginFailures).get()?.count ?? 0
  if (rows <= rowsMax) return
  const newest = sql`${loginFailures.lastAt} desc`
  const kept = Math.floor(rowsMax * 0.9)
  const first = orm
    .select({ lastAt: loginFailures.lastAt })
    .from(loginFailures)
    .orderBy(newest)
    .limit(1)
    .offset(kept)
    .get()
  if (first !== undefined) orm.delete(loginFailures).where(lte(loginFailures.lastAt, first.lastAt)).run()
}
