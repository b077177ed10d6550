// SQL of profiles: few rows, read whole.
import { and, asc, eq, sql } from 'drizzle-orm'
import type { Tx } from '../../db/client.ts'
import { clientProfiles } from '../../db/schema/profiles.ts'

type Reader = Pick<Tx, 'orm'>
export type ProfileRow = typeof clientProfiles.$inferSelect
type Key = Pick<ProfileRow, 'kind' | 'key'>

const is = ({ kind, key }: Key) => and(eq(clientProfiles.kind, kind), eq(clientProfiles.key, key))

export function listProfileRows(db: Reader): ProfileRow[] {
  return db.orm.select().from(clientProfiles).orderBy(asc(clientProfiles.kind), asc(clientProfiles.key)).all()
}

export function findProfileRow(db: Reader, key: Key): ProfileRow | undefined {
  return db.orm.select().from(clientProfiles).where(is(key)).get()
}

export function countProfileRows(db: Reader): number {
  return (
    db.orm
      .select({ rows: sql<number>`count(*)` })
      .from(clientProfiles)
      .get()?.rows ?? 0
  )
}

export function putProfileRow(tx: Tx, row: ProfileRow): void {
  const { kind: _kind, key: _key, ...changing } = row
  tx.orm
    .insert(clientProfiles)
    .values(row)
    .onConflictDoUpdate({ target: [clientProfiles.kind, clientProfiles.key], set: changing })
    .run()
}

/** @returns whether it was there */
export function dropProfileRow(tx: Tx, key: Key): boolean {
  return tx.orm.delete(clientProfiles).where(is(key)).run().changes === 1
}
