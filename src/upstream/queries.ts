// SQL of what external servers said they have.
import { count, eq, sum } from 'drizzle-orm'
import type { Database, Tx } from '../db/client.ts'
import { upstreamDefinitions } from '../db/schema/upstream.ts'

export type StoredList = typeof upstreamDefinitions.$inferSelect

export function findDefinitions({ orm }: Pick<Database, 'orm'>): StoredList[] {
  return orm.select().from(upstreamDefinitions).all()
}

/** Another after anything was written: a look at it costs less than reading all of it. */
export function markOfDefinitions({ orm }: Pick<Database, 'orm'>): string {
  const { fetchedAt } = upstreamDefinitions
  const mark = orm
    .select({ rows: count(), sum: sum(fetchedAt) })
    .from(upstreamDefinitions)
    .get()
  return `${mark?.rows} ${mark?.sum}`
}

/** Ids of the sources of which something is kept. */
export function findSources({ orm }: Pick<Database, 'orm'>): string[] {
  return orm
    .selectDistinct({ source: upstreamDefinitions.source })
    .from(upstreamDefinitions)
    .all()
    .map(({ source }) => source)
}

/** Keeps a list in place of the one there was. */
export function putDefinitions({ orm }: Tx, stored: StoredList): void {
  const { fingerprint, body, fetchedAt } = stored
  orm
    .insert(upstreamDefinitions)
    .values(stored)
    .onConflictDoUpdate({
      target: [upstreamDefinitions.source, upstreamDefinitions.abilities, upstreamDefinitions.kind],
      set: { fingerprint, body, fetchedAt },
    })
    .run()
}

export function dropDefinitions({ orm }: Tx, source: string): void {
  orm.delete(upstreamDefinitions).where(eq(upstreamDefinitions.source, source)).run()
}
