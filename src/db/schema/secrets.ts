// Secrets of the gateway itself, by name: signing keys, cookie keys, keys of providers. Sealed under the key file, never in clear.
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

export const secrets = sqliteTable('secrets', {
  name: text('name').primaryKey(),
  /** `v1.<key id>.<nonce>.<ciphertext and tag>`, base64url. */
  sealed: text('sealed').notNull(),
  updatedAt: integer('updated_at').notNull(),
})
