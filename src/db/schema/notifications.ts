// What the person should notice. A schedule that is due makes one row per due time: the unique pair is what makes
// "exactly once" true even when two processes fire the same schedule.
import { sql } from 'drizzle-orm'
import { check, index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { schedules } from './schedules.ts'

export const notifications = sqliteTable(
  'notifications',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    type: text('type').notNull().default('reminder'),
    title: text('title').notNull(),
    body: text('body'),
    priority: text('priority', { enum: ['low', 'normal', 'high'] })
      .notNull()
      .default('normal'),
    source: text('source'),
    actionUrl: text('action_url'),
    metadata: text('metadata', { mode: 'json' }).$type<Record<string, unknown>>(),
    scheduleId: integer('schedule_id').references(() => schedules.id, { onDelete: 'set null' }),
    dueAt: integer('due_at'),
    createdAt: integer('created_at').notNull(),
    expiresAt: integer('expires_at'),
    readAt: integer('read_at'),
    dismissedAt: integer('dismissed_at'),
    snoozedUntil: integer('snoozed_until'),
  },
  (table) => [
    check('notifications_priority', sql`${table.priority} IN ('low', 'normal', 'high')`),
    uniqueIndex('notifications_schedule_due').on(table.scheduleId, table.dueAt),
    index('notifications_created').on(table.createdAt, table.id),
    index('notifications_expires')
      .on(table.expiresAt)
      .where(sql`expires_at IS NOT NULL`),
  ],
)
