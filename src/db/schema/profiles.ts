// What each client is shown at the mount that shows everything: profiles by name, and who has which.
import { sql } from 'drizzle-orm'
import { check, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'

export const clientProfiles = sqliteTable(
  'client_profiles',
  {
    kind: text('kind', { enum: ['client', 'profile'] }).notNull(),
    /** A client (`oauth:<client id>`, `token:<name>`, `stdio`, `loopback`), or the name of a profile. */
    key: text('key').notNull(),
    /** Of a client: the name of its profile; null where it has one of its own. */
    profile: text('profile'),
    mode: text('mode', { enum: ['router', 'direct', 'auto'] }),
    /** Null for the one that holds for everybody. */
    budgetTokens: integer('budget_tokens'),
    pins: text('pins', { mode: 'json' }).$type<readonly string[]>().notNull(),
    updatedAt: integer('updated_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.kind, table.key] }),
    check('client_profiles_kind', sql`${table.kind} IN ('client', 'profile')`),
    check('client_profiles_mode', sql`${table.mode} IN ('router', 'direct', 'auto')`),
    check('client_profiles_one', sql`(${table.profile} IS NULL) <> (${table.mode} IS NULL)`),
    check('client_profiles_named', sql`${table.kind} = 'client' OR ${table.profile} IS NULL`),
    check('client_profiles_budget', sql`${table.budgetTokens} > 0`),
    check('client_profiles_pins', sql`json_type(${table.pins}) = 'array'`),
  ],
)
