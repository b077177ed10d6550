// Reads and writes of notifications, their settings, and the rules of how many are kept.
import { and, count, desc, eq, gt, inArray, isNull, lt, lte, ne, or, sql, type SQL } from 'drizzle-orm'
import type { Database } from '../../../db/client.ts'
import { notifications } from '../../../db/schema/notifications.ts'
import { settings } from '../../../db/schema/settings.ts'
import type { Position } from '../policy/cursor.ts'

export type Notification = typeof notifications.$inferSelect
type Priority = Notification['priority']

export interface NewNotification {
  readonly type: string
  readonly title: string
  readonly body: string | null
  readonly priority: Priority
  readonly source: string
  readonly actionUrl?: string | null
  readonly metadata?: Record<string, unknown> | null
  readonly scheduleId?: number
  readonly dueAt?: number
  /** Hidden until then. */
  readonly snoozedUntil?: number
  readonly expiresAt?: number | null
}

/** Rows that are kept; beyond it expired, dismissed and then the least urgent, oldest ones go. */
export const NOTIFICATIONS_MAX = 500
const SETTINGS_KEY = 'notification_prefs'

const rank = sql<number>`CASE ${notifications.priority} WHEN 'high' THEN 2 WHEN 'normal' THEN 1 ELSE 0 END`
const ranks: Readonly<Record<Priority, number>> = { high: 2, normal: 1, low: 0 }

/** One page, high before normal before low, newest first within each. Expired ones are never shown. */
export function notificationPage(
  db: Database,
  query: { unreadOnly: boolean; type: string | undefined; now: number; limit: number; after: Position | undefined },
): { rows: Notification[]; next: Position | undefined } {
  const rows = db.orm
    .select()
    .from(notifications)
    .where(
      and(
        notExpired(query.now),
        query.unreadOnly ? unread(query.now) : undefined,
        query.type === undefined ? undefined : eq(notifications.type, query.type),
        query.after && beyond(query.after.map(Number)),
      ),
    )
    .orderBy(desc(rank), desc(notifications.createdAt), desc(notifications.id))
    .limit(query.limit + 1)
    .all()
  const page = rows.slice(0, query.limit)
  const last = page.at(-1)
  const next = rows.length > page.length && last ? [ranks[last.priority], last.createdAt, last.id] : undefined
  return { rows: page, next }
}

/** How many wait, of one type or of all. */
export function countUnread(db: Database, type: string | undefined, now: number): number {
  return (
    db.orm
      .select({ total: count() })
      .from(notifications)
      .where(and(notExpired(now), unread(now), type === undefined ? undefined : eq(notifications.type, type)))
      .get()?.total ?? 0
  )
}

/** @returns the new id, or `undefined` when this schedule already made one for this due time */
export function insertNotification(db: Database, notification: NewNotification, now: number): number | undefined {
  const id = db.orm
    .insert(notifications)
    .values({ ...notification, createdAt: now })
    .onConflictDoNothing()
    .returning({ id: notifications.id })
    .get()?.id
  if (id !== undefined) trimNotifications(db, id, now)
  return id
}

/** Dismisses one for good. @returns false when there is none */
export function markDismissed(db: Database, id: number, now: number): boolean {
  return change(db, id, { dismissedAt: now, snoozedUntil: null }, now)
}

/** Hides one until a time; then it is there, even when it was dismissed or would have expired. @returns false when there is none */
export function markSnoozed(db: Database, id: number, until: number, now: number): boolean {
  const expiresAt = sql<
    number | null
  >`CASE WHEN ${notifications.expiresAt} > ${until} THEN ${notifications.expiresAt} END`
  return change(db, id, { snoozedUntil: until, dismissedAt: null, expiresAt }, now)
}

/** Dismisses what is waiting, snoozed ones too, but not what nobody has seen because it is not due yet. @returns how many */
export function markAllDismissed(
  db: Database,
  query: { type: string | undefined; before: number | undefined },
  now: number,
): number {
  return db.orm
    .update(notifications)
    .set({ dismissedAt: now, snoozedUntil: null })
    .where(
      and(
        isNull(notifications.dismissedAt),
        notExpired(now),
        sql`NOT coalesce(${notifications.snoozedUntil} = ${notifications.dueAt} AND ${notifications.dueAt} > ${now}, 0)`,
        query.type === undefined ? undefined : eq(notifications.type, query.type),
        query.before === undefined ? undefined : lt(notifications.createdAt, query.before),
      ),
    )
    .run().changes
}

/** Says anew what something of ours has said before; whether it was dismissed stays as it is. */
export function rewriteNotificationsOf(
  db: Database,
  source: string,
  values: Pick<NewNotification, 'title' | 'body' | 'source'>,
): void {
  db.orm.update(notifications).set(values).where(eq(notifications.source, source)).run()
}

export function removeNotificationsOf(db: Database, source: string): void {
  db.orm.delete(notifications).where(eq(notifications.source, source)).run()
}

/** Removes what has expired. @returns how many */
export function purgeNotifications(db: Database, now: number): number {
  return db.orm.delete(notifications).where(lte(notifications.expiresAt, now)).run().changes
}

/** Types that make notifications, or `undefined` when all do. */
export function enabledTypes(db: Database): readonly string[] | undefined {
  const row = db.orm.select({ value: settings.value }).from(settings).where(eq(settings.key, SETTINGS_KEY)).get()
  return row === undefined ? undefined : readTypes(row.value)
}

export function saveEnabledTypes(db: Database, types: readonly string[], now: number): void {
  const value = { types_enabled: types }
  db.orm
    .insert(settings)
    .values({ key: SETTINGS_KEY, value, updatedAt: now })
    .onConflictDoUpdate({ target: settings.key, set: { value, updatedAt: now } })
    .run()
}

function readTypes(value: unknown): readonly string[] | undefined {
  if (typeof value !== 'object' || value === null || !('types_enabled' in value)) return undefined
  const types = value.types_enabled
  return Array.isArray(types) ? types.filter((type) => typeof type === 'string') : undefined
}

/** Makes room, but not by the row that just came: its id was given out. */
function trimNotifications(db: Database, newest: number, now: number): void {
  const total = db.orm.select({ total: count() }).from(notifications).get()?.total ?? 0
  if (total <= NOTIFICATIONS_MAX) return
  const least = db.orm
    .select({ id: notifications.id })
    .from(notifications)
    .where(ne(notifications.id, newest))
    .orderBy(
      sql`coalesce(${notifications.expiresAt} > ${now}, 1)`,
      sql`${notifications.dismissedAt} IS NULL`,
      rank,
      notifications.createdAt,
      notifications.id,
    )
    .limit(total - NOTIFICATIONS_MAX)
    .all()
  db.orm
    .delete(notifications)
    .where(
      inArray(
        notifications.id,
        least.map(({ id }) => id),
      ),
    )
    .run()
}

function change(
  db: Database,
  id: number,
  values: { [column in keyof Notification]?: Notification[column] | SQL },
  now: number,
): boolean {
  return (
    db.orm
      .update(notifications)
      .set(values)
      .where(and(eq(notifications.id, id), notExpired(now)))
      .run().changes === 1
  )
}

function notExpired(now: number): SQL | undefined {
  return or(isNull(notifications.expiresAt), gt(notifications.expiresAt, now))
}

function unread(now: number): SQL | undefined {
  return and(
    isNull(notifications.dismissedAt),
    or(isNull(notifications.snoozedUntil), lte(notifications.snoozedUntil, now)),
  )
}

function beyond([afterRank = 0, afterTime = 0, afterId = 0]: readonly number[]): SQL | undefined {
  const { createdAt, id } = notifications
  return or(
    lt(rank, afterRank),
    and(sql`${rank} = ${afterRank}`, lt(createdAt, afterTime)),
    and(sql`${rank} = ${afterRank}`, eq(createdAt, afterTime), lt(id, afterId)),
  )
}
