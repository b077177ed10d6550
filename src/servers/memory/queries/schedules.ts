// Reads and writes of schedules.
import { and, asc, count, desc, eq, gt, lt, lte, sql } from 'drizzle-orm'
import type { Database } from '../../../db/client.ts'
import { schedules } from '../../../db/schema/schedules.ts'
import type { Position } from '../policy/cursor.ts'
import { prepared } from './prepared.ts'

/** Schedules that are kept. */
export const SCHEDULES_MAX = 1000

export type Schedule = typeof schedules.$inferSelect

export interface NewSchedule {
  readonly task: string
  readonly cronExpression: string
  readonly description: string | null
  readonly nextRunAt: number
}

/** Fields that are absent stay as they are. */
export interface ScheduleChange {
  readonly task?: string
  readonly cronExpression?: string
  readonly enabled?: boolean
  readonly nextRunAt?: number | null
  readonly lastRunAt?: number
}

const statements = prepared((db) => ({
  earliest: db.orm
    .select({ at: sql<number | null>`min(${schedules.nextRunAt})` })
    .from(schedules)
    .where(eq(schedules.enabled, sql`1`))
    .prepare(),
}))

export function findSchedule(db: Database, id: number): Schedule | undefined {
  return db.orm.select().from(schedules).where(eq(schedules.id, id)).get()
}

/** One page, newest first. */
export function schedulePage(
  db: Database,
  query: { enabledOnly: boolean; limit: number; after: Position | undefined },
): { rows: Schedule[]; next: Position | undefined } {
  const rows = db.orm
    .select()
    .from(schedules)
    .where(
      and(
        query.enabledOnly ? eq(schedules.enabled, true) : undefined,
        query.after && lt(schedules.id, Number(query.after[0])),
      ),
    )
    .orderBy(desc(schedules.id))
    .limit(query.limit + 1)
    .all()
  const page = rows.slice(0, query.limit)
  const last = page.at(-1)
  return { rows: page, next: rows.length > page.length && last ? [last.id] : undefined }
}

export function countSchedules(db: Database): number {
  return db.orm.select({ total: count() }).from(schedules).get()?.total ?? 0
}

export function insertSchedule(db: Database, schedule: NewSchedule, now: number): number {
  return db.orm
    .insert(schedules)
    .values({ ...schedule, createdAt: now, updatedAt: now })
    .returning({ id: schedules.id })
    .get().id
}

/** @returns the schedule as it is now, or `undefined` when there is none */
export function changeSchedule(db: Database, id: number, change: ScheduleChange, now: number): Schedule | undefined {
  return db.orm
    .update(schedules)
    .set({ ...change, updatedAt: now })
    .where(eq(schedules.id, id))
    .returning()
    .get()
}

/** @returns false when there is none */
export function removeSchedule(db: Database, id: number): boolean {
  return db.orm.delete(schedules).where(eq(schedules.id, id)).run().changes === 1
}

/** When the next enabled schedule is due; a cheap read that the scheduler repeats. */
export function earliestDue(db: Database): number | undefined {
  return statements(db).earliest.get()?.at ?? undefined
}

/** Enabled schedules that are due, oldest first. */
export function dueSchedules(db: Database, now: number, rowsMax: number): Schedule[] {
  return db.orm
    .select()
    .from(schedules)
    .where(and(eq(schedules.enabled, true), lte(schedules.nextRunAt, now)))
    .orderBy(asc(schedules.nextRunAt), asc(schedules.id))
    .limit(rowsMax)
    .all()
}

/** Enabled schedules whose next time lies ahead. */
export function waitingSchedules(db: Database, now: number): Schedule[] {
  return db.orm
    .select()
    .from(schedules)
    .where(and(eq(schedules.enabled, true), gt(schedules.nextRunAt, now)))
    .all()
}

/** Notes that a schedule ran and when it is due again; what `updated_at` says of edits does not move. */
export function advanceSchedule(db: Database, id: number, run: { ranAt?: number; nextRunAt: number | null }): void {
  const { ranAt, nextRunAt } = run
  db.orm
    .update(schedules)
    .set(ranAt === undefined ? { nextRunAt } : { nextRunAt, lastRunAt: ranAt })
    .where(eq(schedules.id, id))
    .run()
}
