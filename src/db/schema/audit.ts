// One row per tool call: who called what and how it ended. Never parameters or results, only their size.
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

export const audit = sqliteTable(
  'audit',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    at: integer('at').notNull(),
    caller: text('caller').notNull(),
    server: text('server').notNull(),
    tool: text('tool').notNull(),
    effect: text('effect').notNull(),
    outcome: text('outcome').notNull(),
    bytes: integer('bytes').notNull().default(0),
    durationMs: integer('duration_ms').notNull().default(0),
  },
  (table) => [index('audit_at').on(table.at)],
)
