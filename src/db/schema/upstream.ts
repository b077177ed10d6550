// What external servers said they have, kept so that their lists are there before any of them runs.
import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'

export const upstreamDefinitions = sqliteTable(
  'upstream_definitions',
  {
    /** Id of the source. */
    source: text('source').notNull(),
    /** What was declared that a caller can be asked, when it was read; '' for nothing. */
    abilities: text('abilities').notNull(),
    kind: text('kind', { enum: ['peer', 'tools', 'prompts', 'resources', 'templates'] }).notNull(),
    /** Of the settings it was read with. */
    fingerprint: text('fingerprint').notNull(),
    /** JSON: a list as it came, or what the server says of itself. */
    body: text('body').notNull(),
    fetchedAt: integer('fetched_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.source, table.abilities, table.kind] })],
)
