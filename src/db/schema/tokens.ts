// The local bearer tokens. Only their SHA-256 is kept: a copy of the database opens no door.
import { sql } from 'drizzle-orm'
import { blob, check, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

export const localTokens = sqliteTable(
  'local_tokens',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    name: text('name').notNull(),
    hash: blob('hash', { mode: 'buffer' }).notNull().unique(),
    /** JSON list of scope names, or null for every scope. */
    scopes: text('scopes', { mode: 'json' }).$type<readonly string[]>(),
    createdAt: integer('created_at').notNull(),
    /** Null for a token that lasts until it is revoked. */
    expiresAt: integer('expires_at'),
    lastUsedAt: integer('last_used_at'),
    revokedAt: integer('revoked_at'),
  },
  (table) => [check('local_tokens_hash', sql`length(${table.hash}) = 32`)],
)
