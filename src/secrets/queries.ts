// SQL of the sealed texts: the secrets by name, and every other place that keeps one.
import { eq, isNotNull, sql } from 'drizzle-orm'
import type { Database, Tx } from '../db/client.ts'
import { operators } from '../db/schema/operator.ts'
import { secrets } from '../db/schema/secrets.ts'

/** The sealed text of a secret. */
export function findSecret({ orm }: Pick<Database, 'orm'>, name: string): string | undefined {
  return orm.select({ sealed: secrets.sealed }).from(secrets).where(eq(secrets.name, name)).get()?.sealed
}

/** Keeps a secret in place of what had its name. */
export function putSecret({ orm }: Tx, name: string, sealed: string, updatedAt: number): void {
  orm
    .insert(secrets)
    .values({ name, sealed, updatedAt })
    .onConflictDoUpdate({ target: secrets.name, set: { sealed, updatedAt } })
    .run()
}

export function dropSecret({ orm }: Tx, name: string): void {
  orm.delete(secrets).where(eq(secrets.name, name)).run()
}

/** Purpose of the second factor's secret: the authenticated data it is sealed with. */
export const TOTP_PURPOSE = 'operator/totp'
/** Purpose of a secret by name. */
export const purposeOf = (name: string): string => `secret/${name}`

interface SealedText {
  readonly purpose: string
  readonly sealed: string
  /** Stores another text in its place. */
  replace(tx: Tx, next: string): void
}

/** Every sealed text of the database. A new place that keeps one is added here, or a rotation would leave it behind. */
export function findSealed({ orm }: Pick<Database, 'orm'>): SealedText[] {
  const named = orm.select().from(secrets).all()
  const factors = orm
    .select({ id: operators.id, sealed: sql<string>`${operators.totpSealed}` })
    .from(operators)
    .where(isNotNull(operators.totpSealed))
    .all()
  return [
    ...named.map(({ name, sealed }) => ({
      purpose: purposeOf(name),
      sealed,
      replace: (tx: Tx, next: string) =>
        void tx.orm.update(secrets).set({ sealed: next }).where(eq(secrets.name, name)).run(),
    })),
    ...factors.map(({ id, sealed }) => ({
      purpose: TOTP_PURPOSE,
      sealed,
      replace: (tx: Tx, next: string) =>
        void tx.orm.update(operators).set({ totpSealed: next }).where(eq(operators.id, id)).run(),
    })),
  ]
}
