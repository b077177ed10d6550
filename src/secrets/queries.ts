// SQL of the sealed texts: the secrets by name, and every other place that keeps one.
import { eq, sql } from 'drizzle-orm'
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

/**
 * Gives every sealed text of the database to `change` and stores what comes back. A new place that keeps sealed text is
 * added here, or a rotation would leave it behind.
 * @returns how many there are
 */
export function changeSealed({ orm }: Tx, change: (sealed: string, purpose: string) => string): number {
  const named = orm.select().from(secrets).all()
  for (const { name, sealed } of named) {
    const next = change(sealed, purposeOf(name))
    orm.update(secrets).set({ sealed: next }).where(eq(secrets.name, name)).run()
  }
  const factors = orm
    .select()
    .from(operators)
    .where(sql`${operators.totpSealed} is not null`)
    .all()
  for (const { id, totpSealed } of factors) {
    if (totpSealed === null) continue
    orm
      .update(operators)
      .set({ totpSealed: change(totpSealed, TOTP_PURPOSE) })
      .where(eq(operators.id, id))
      .run()
  }
  return named.length + factors.length
}
