// Who was let in by OAuth: clients, what the authorization server keeps, authorizations and remembered consent.
// Whatever opens a door by itself is kept as SHA-256 only: a copy of the database opens none.
import { sql } from 'drizzle-orm'
import { blob, check, index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'

export const oauthClients = sqliteTable(
  'oauth_clients',
  {
    id: text('id').primaryKey(),
    /** As the client calls itself: never trusted, shown inert. */
    name: text('name').notNull().default(''),
    /** `registered` by itself (RFC 7591), or `made` by the owner. */
    origin: text('origin', { enum: ['registered', 'made'] }).notNull(),
    /** Client metadata without the secret. */
    payload: text('payload', { mode: 'json' }).$type<Readonly<Record<string, unknown>>>().notNull(),
    secretHash: blob('secret_hash', { mode: 'buffer' }),
    createdAt: integer('created_at').notNull(),
    lastUsedAt: integer('last_used_at'),
  },
  (table) => [check('oauth_clients_secret', sql`${table.secretHash} is null or length(${table.secretHash}) = 32`)],
)

/** The last good metadata document of each client that was let in by one: it may go on while its host does not answer. */
export const clientDocuments = sqliteTable('client_documents', {
  /** The URL, which is the id of the client. */
  id: text('id').primaryKey(),
  document: text('document', { mode: 'json' }).$type<Readonly<Record<string, unknown>>>().notNull(),
  keptAt: integer('kept_at').notNull(),
})

/** Codes, tokens, grants, sessions and interactions of the authorization server, one row each. */
export const oauthTokens = sqliteTable(
  'oauth_tokens',
  {
    /** `<model>:<id>`; the id of what opens a door as its SHA-256. */
    id: text('id').primaryKey(),
    model: text('model').notNull(),
    payload: text('payload', { mode: 'json' }).$type<Readonly<Record<string, unknown>>>().notNull(),
    grantId: text('grant_id'),
    /** SHA-256 of the uid of a session or interaction. */
    uidHash: text('uid_hash'),
    clientId: text('client_id'),
    createdAt: integer('created_at').notNull(),
    expiresAt: integer('expires_at'),
    consumedAt: integer('consumed_at'),
  },
  (table) => [
    index('oauth_tokens_grant')
      .on(table.grantId)
      .where(sql`${table.grantId} is not null`),
    index('oauth_tokens_uid')
      .on(table.uidHash)
      .where(sql`${table.uidHash} is not null`),
    index('oauth_tokens_expiry')
      .on(table.expiresAt)
      .where(sql`${table.expiresAt} is not null`),
  ],
)

/** One consent given once: a family of tokens. The `id` is who calls (`oauth:<id>`). */
export const authorizations = sqliteTable('authorizations', {
  id: integer('id').primaryKey({ autoIncrement: true }),
  grantId: text('grant_id').notNull().unique(),
  clientId: text('client_id').notNull(),
  clientName: text('client_name').notNull(),
  /** Host of the redirect, or the private scheme. */
  redirectHost: text('redirect_host').notNull(),
  /** Id of the server it is for; null for every server within the scopes. */
  server: text('server'),
  scopes: text('scopes', { mode: 'json' }).$type<readonly string[]>().notNull(),
  createdAt: integer('created_at').notNull(),
  lastUsedAt: integer('last_used_at'),
  revokedAt: integer('revoked_at'),
})

/** Consent that need not be asked again: of this client, where the answer goes, for this audience and exactly these scopes. */
export const consents = sqliteTable(
  'consents',
  {
    clientId: text('client_id').notNull(),
    /** Origin of an https redirect; any other redirect whole. */
    redirect: text('redirect').notNull(),
    audience: text('audience').notNull(),
    /** Sorted, separated by spaces. */
    asked: text('asked').notNull(),
    granted: text('granted').notNull(),
    createdAt: integer('created_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.clientId, table.redirect, table.audience, table.asked] })],
)
