// The owner of this gateway at the dashboard: password, second factor, sessions, and what slows a guesser down.
import { sql } from 'drizzle-orm'
import { blob, check, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

export const operators = sqliteTable(
  'operators',
  {
    id: integer('id').primaryKey(),
    /** PHC string of argon2id. */
    passwordHash: text('password_hash').notNull(),
    passwordChangedAt: integer('password_changed_at').notNull(),
    /** Sealed; null without a second factor. */
    totpSealed: text('totp_sealed'),
    /** The last time step whose code was taken: a code passes once (RFC 6238 §5.2). */
    totpLastStep: integer('totp_last_step'),
    createdAt: integer('created_at').notNull(),
  },
  (table) => [check('operators_single', sql`${table.id} = 1`)],
)

export const operatorSessions = sqliteTable(
  'operator_sessions',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    hash: blob('hash', { mode: 'buffer' }).notNull().unique(),
    userAgent: text('user_agent').notNull().default(''),
    address: text('address').notNull().default(''),
    createdAt: integer('created_at').notNull(),
    lastSeenAt: integer('last_seen_at').notNull(),
    expiresAt: integer('expires_at').notNull(),
    revokedAt: integer('revoked_at'),
  },
  (table) => [check('operator_sessions_hash', sql`length(${table.hash}) = 32`)],
)

/** One-time codes: for the set-up of the password, and for the second factor when the device is lost. */
export const oneTimeCodes = sqliteTable('one_time_codes', {
  hash: blob('hash', { mode: 'buffer' }).primaryKey(),
  purpose: text('purpose', { enum: ['setup', 'recovery'] }).notNull(),
  createdAt: integer('created_at').notNull(),
  /** Null for a code that does not expire. */
  expiresAt: integer('expires_at'),
  usedAt: integer('used_at'),
})

/** Failed logins by address, and of all addresses together under the key `*`. */
export const loginFailures = sqliteTable('login_failures', {
  key: text('key').primaryKey(),
  count: integer('count').notNull(),
  lastAt: integer('last_at').notNull(),
  lockedUntil: integer('locked_until').notNull().default(0),
})
