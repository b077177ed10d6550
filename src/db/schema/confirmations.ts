// Confirmations that were used. One row each, so that of several processes only one accepts it.
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

export const spentConfirmations = sqliteTable('spent_confirmations', {
  nonce: text('nonce').primaryKey(),
  /** Nobody accepts it after this anyway. */
  expiresAt: integer('expires_at').notNull(),
})
