// Recurring tasks, and the leases by which several processes on one data folder agree on who runs something.
import { sql } from 'drizzle-orm'
import { check, index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

export const schedules = sqliteTable(
  'schedules',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    task: text('task').notNull(),
    cronExpression: text('cron_expression').notNull(),
    description: text('description'),
    enabled: integer('enabled', { mode: 'boolean' }).notNull().default(true),
    lastRunAt: integer('last_run_at'),
    nextRunAt: integer('next_run_at'),
    createdAt: integer('created_at').notNull(),
    updatedAt: integer('updated_at').notNull(),
  },
  (table) => [
    check('schedules_enabled', sql`${table.enabled} IN (0, 1)`),
    index('schedules_due')
      .on(table.nextRunAt)
      .where(sql`enabled = 1`),
  ],
)

/** Held until `expires_at`; a holder that died is simply waited out. */
export const leases = sqliteTable('leases', {
  name: text('name').primaryKey(),
  holder: text('holder').notNull(),
  expiresAt: integer('expires_at').notNull(),
})
