// What lists of tools and replies weighed, by day, client and mount: sums of bytes and counts, nothing that was said.
import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'

const sum = (name: string) => integer(name).notNull().default(0)

export const contextLedger = sqliteTable(
  'context_ledger',
  {
    /** Days since 1970-01-01, UTC. */
    day: integer('day').notNull(),
    /** `local:3`, `oauth:12`, `stdio`; `other` beyond the bound of clients a day. */
    caller: text('caller').notNull(),
    /** What the client calls itself; the caller where it has no name. */
    client: text('client').notNull(),
    /** Id of the server that was asked: `memory`, `router`. */
    mount: text('mount').notNull(),
    /** Answered `tools/list`. */
    lists: sum('lists'),
    /** The JSON arrays of tools that went out. */
    listBytes: sum('list_bytes'),
    /** The same answers with every tool listed by itself. */
    directBytes: sum('direct_bytes'),
    /** Replies of the tools by which a mount that stands for others is searched or switched. */
    discovers: sum('discovers'),
    discoverBytes: sum('discover_bytes'),
    /** Replies of such a mount that say what was wrong with a call. */
    errors: sum('errors'),
    errorBytes: sum('error_bytes'),
    /** All other replies. */
    replies: sum('replies'),
    replyBytes: sum('reply_bytes'),
  },
  (table) => [primaryKey({ columns: [table.day, table.caller, table.client, table.mount] })],
)
