// One row per tool call, and per event at the doors (server `gateway`): who did what and how it ended. Never parameters or
// results, only their size.
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

export const audit = sqliteTable(
  'audit',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    at: integer('at').notNull(),
    caller: text('caller').notNull(),
    /** How they came in: `local`, `oauth`, `peer`, `stdio`, `cli`, `loopback`; at the doors also `operator` and `stranger`. */
    callerKind: text('caller_kind').notNull().default(''),
    /** What the client calls itself, for people. */
    client: text('client'),
    /** Digest of the MCP session, where there is one; never the id itself. */
    session: text('session'),
    /** Network address, for events at the doors. */
    address: text('address'),
    /** What it was done to, where that is not the caller: `local:3`, `oauth:12`. */
    subject: text('subject'),
    server: text('server').notNull(),
    tool: text('tool').notNull(),
    effect: text('effect').notNull(),
    outcome: text('outcome').notNull(),
    bytes: integer('bytes').notNull().default(0),
    durationMs: integer('duration_ms').notNull().default(0),
  },
  (table) => [index('audit_at').on(table.at)],
)
