// SQL of the local tokens. The hash of a token goes in and is looked up; it never comes out.
import { and, asc, eq, isNull, sql } from 'drizzle-orm'
import type { Database, Tx } from '../db/client.ts'
import { localTokens } from '../db/schema/tokens.ts'

/** A row without its hash. */
const columns = {
  id: localTokens.id,
  name: localTokens.name,
  scopes: localTokens.scopes,
  createdAt: localTokens.createdAt,
  expiresAt: localTokens.expiresAt,
  lastUsedAt: localTokens.lastUsedAt,
  revokedAt: localTokens.revokedAt,
}

export type LocalTokenRow = Omit<typeof localTokens.$inferSelect, 'hash'>

const prepare = (db: Database) =>
  db.orm
    .select({ ...columns, hash: localTokens.hash })
    .from(localTokens)
    .where(and(eq(localTokens.hash, sql.placeholder('hash')), isNull(localTokens.revokedAt)))
    .prepare()
const byHash = new WeakMap<Database, ReturnType<typeof prepare>>()

/** The token with this hash that was not revoked. */
export function findByHash(db: Database, hash: Buffer): typeof localTokens.$inferSelect | undefined {
  let statement = byHash.get(db)
  if (statement === undefined) {
    statement = prepare(db)
    byHash.set(db, statement)
  }
  return statement.get({ hash })
}

/** Every token, revoked ones too, oldest first. */
export function listTokens(db: Pick<Tx, 'orm'>): LocalTokenRow[] {
  return db.orm.select(columns).from(localTokens).orderBy(asc(localTokens.id)).all()
}

/** The live token with this number or name. */
export function findLive(tx: Pick<Tx, 'orm'>, key: number | string): LocalTokenRow | undefined {
  const matches = typeof key === 'number' ? eq(localTokens.id, key) : eq(localTokens.name, key)
  return tx.orm
    .select(columns)
    .from(localTokens)
    .where(and(matches, isNull(localTokens.revokedAt)))
    .get()
}

export interface NewLocalToken {
  readonly name: string
  readonly hash: Buffer
  readonly scopes: readonly string[] | null
  readonly createdAt: number
  readonly expiresAt: number | null
}

export function insertToken(tx: Tx, token: NewLocalToken): number {
  return tx.orm.insert(localTokens).values(token).returning({ id: localTokens.id }).get().id
}

export function replaceHash(tx: Tx, id: number, hash: Buffer): void {
  tx.orm.update(localTokens).set({ hash, lastUsedAt: null }).where(eq(localTokens.id, id)).run()
}

export function markRevoked(tx: Tx, id: number, revokedAt: number): void {
  tx.orm.update(localTokens).set({ revokedAt }).where(eq(localTokens.id, id)).run()
}

export function markAllRevoked(tx: Tx, revokedAt: number): void {
  tx.orm.update(localTokens).set({ revokedAt }).where(isNull(localTokens.revokedAt)).run()
}

export function markUsed(tx: Tx, id: number, lastUsedAt: number): void {
  tx.orm.update(localTokens).set({ lastUsedAt }).where(eq(localTokens.id, id)).run()
}
