// One row per tool call: who called what and how it ended. Never parameters or results, only their size.
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

export const audit = sqliteTable(
  'audit',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    at: integer('at').notNull(),
    caller: text('caller').notNull(),
    /** How they came in: `local`, `oauth`, `peer`, `stdio`, `cli`, `loopback`. */
    callerKind: text('caller_kind').notNull().default(''),
    /** What the client calls itself, for people. */
    client: text('client'),
    /** Digest of the MCP session, where there is one; never the id itself. */
    session: text('session'),
    server: text('server').notNull(),
    tool: text('tool').notNull(),
    effect: text('effect').notNull(),
    outcome: text('outcome').notNull(),
    bytes: integer('bytes').notNull().default(0),
    durationMs: integer('duration_ms').notNull().default(0),
  },
  (table) => [index('audit_at').on(table.at)],
)
