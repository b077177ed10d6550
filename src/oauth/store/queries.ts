// SQL of what the authorization server keeps: clients, artifacts, authorizations, remembered consent.
import { and, eq, gt, inArray, isNotNull, isNull, lt, lte, notExists, or, sql } from 'drizzle-orm'
import type { Database, Tx } from '../../db/client.ts'
import { authorizations, oauthClients, oauthTokens } from '../../db/schema/oauth.ts'

type Reader = Pick<Tx, 'orm'>
export type ArtifactRow = typeof oauthTokens.$inferSelect
export type ClientRow = typeof oauthClients.$inferSelect
export type AuthorizationRow = typeof authorizations.$inferSelect

const prepareHot = (db: Database) => ({
  artifact: db.orm
    .select()
    .from(oauthTokens)
    .where(eq(oauthTokens.id, sql.placeholder('id')))
    .prepare(),
  access: db.orm
    .select({ token: oauthTokens, authorization: authorizations })
    .from(oauthTokens)
    .innerJoin(authorizations, eq(authorizations.grantId, oauthTokens.grantId))
    .where(and(eq(oauthTokens.id, sql.placeholder('id')), isNull(authorizations.revokedAt)))
    .prepare(),
})
const hot = new WeakMap<Database, ReturnType<typeof prepareHot>>()

function hotOf(db: Database): ReturnType<typeof prepareHot> {
  let statements = hot.get(db)
  if (statements === undefined) {
    statements = prepareHot(db)
    hot.set(db, statements)
  }
  return statements
}

export function findArtifact(db: Database, id: string): ArtifactRow | undefined {
  return hotOf(db).artifact.get({ id })
}

/** An artifact together with its authorization, while that is not revoked. */
export function findAuthorized(
  db: Database,
  id: string,
): { token: ArtifactRow; authorization: AuthorizationRow } | undefined {
  return hotOf(db).access.get({ id })
}

export function findArtifactByUid(db: Reader, model: string, uidHash: string): ArtifactRow | undefined {
  return db.orm
    .select()
    .from(oauthTokens)
    .where(and(eq(oauthTokens.uidHash, uidHash), eq(oauthTokens.model, model)))
    .get()
}

export function putArtifact(tx: Tx, row: Omit<ArtifactRow, 'consumedAt'>): void {
  const { id: _id, model: _model, createdAt: _createdAt, ...changing } = row
  tx.orm.insert(oauthTokens).values(row).onConflictDoUpdate({ target: oauthTokens.id, set: changing }).run()
}

/** @returns whether it was there and not consumed before */
export function consumeArtifact(tx: Tx, id: string, consumedAt: number): boolean {
  const { changes } = tx.orm
    .update(oauthTokens)
    .set({ consumedAt })
    .where(and(eq(oauthTokens.id, id), isNull(oauthTokens.consumedAt)))
    .run()
  return changes === 1
}

/** Takes back that it was consumed. */
export function restoreArtifact(tx: Tx, id: string): void {
  tx.orm.update(oauthTokens).set({ consumedAt: null }).where(eq(oauthTokens.id, id)).run()
}

/**
 * Whether this refresh token was used after `since`, and what it was given in return was not used yet. That may not be
 * stored yet either, while another process is about it.
 */
export function isFreshlySpent(db: Reader, id: string, since: number): boolean {
  const row = db.orm.select().from(oauthTokens).where(eq(oauthTokens.id, id)).get()
  if (row === undefined || row.consumedAt === null || row.consumedAt <= since || row.grantId === null) return false
  const gone = db.orm
    .select({ one: sql`1` })
    .from(oauthTokens)
    .where(
      and(
        eq(oauthTokens.grantId, row.grantId),
        eq(oauthTokens.model, row.model),
        isNotNull(oauthTokens.consumedAt),
        sql`${oauthTokens.payload} ->> 'rotations' > ${rotationsOf(row)}`,
      ),
    )
    .get()
  return gone === undefined
}

function rotationsOf({ payload }: ArtifactRow): number {
  const rotations = payload['rotations']
  return typeof rotations === 'number' ? rotations : 0
}

export function dropArtifact(tx: Tx, id: string): void {
  tx.orm.delete(oauthTokens).where(eq(oauthTokens.id, id)).run()
}

/** Ends a family: everything that was issued for a grant, and its authorization. */
export function dropFamily(tx: Tx, grantId: string, revokedAt: number): void {
  tx.orm.delete(oauthTokens).where(eq(oauthTokens.grantId, grantId)).run()
  tx.orm
    .update(authorizations)
    .set({ revokedAt })
    .where(and(eq(authorizations.grantId, grantId), isNull(authorizations.revokedAt)))
    .run()
}

export function findClient(db: Reader, id: string): ClientRow | undefined {
  return db.orm.select().from(oauthClients).where(eq(oauthClients.id, id)).get()
}

export function putClient(tx: Tx, row: Omit<ClientRow, 'lastUsedAt'>): void {
  const { name, payload, secretHash } = row
  tx.orm
    .insert(oauthClients)
    .values(row)
    .onConflictDoUpdate({ target: oauthClients.id, set: { name, payload, secretHash } })
    .run()
}

/** Every client without its secret, newest first. */
export function listClients(db: Reader): Omit<ClientRow, 'secretHash'>[] {
  const { id, name, origin, payload, createdAt, lastUsedAt } = oauthClients
  return db.orm
    .select({ id, name, origin, payload, createdAt, lastUsedAt })
    .from(oauthClients)
    .orderBy(sql`${createdAt} desc`)
    .all()
}

export function dropClient(tx: Tx, id: string): void {
  tx.orm.delete(oauthClients).where(eq(oauthClients.id, id)).run()
}

/** Of clients that registered themselves and were never let in, forgets the oldest, so that at most `max` stay. */
export function dropIdleClients(tx: Tx, max: number): void {
  tx.sqlite
    .prepare(
      `delete from oauth_clients where rowid in
         (select rowid from oauth_clients where origin = 'registered' and last_used_at is null
          order by created_at desc, rowid desc limit -1 offset ?)`,
    )
    .run(max)
}

export function markClientUsed(tx: Tx, id: string, lastUsedAt: number): void {
  tx.orm.update(oauthClients).set({ lastUsedAt }).where(eq(oauthClients.id, id)).run()
}

export function insertAuthorization(tx: Tx, row: typeof authorizations.$inferInsert): number {
  return tx.orm.insert(authorizations).values(row).returning({ id: authorizations.id }).get().id
}

export function markAuthorizationUsed(tx: Tx, id: number, lastUsedAt: number): void {
  tx.orm.update(authorizations).set({ lastUsedAt }).where(eq(authorizations.id, id)).run()
}

/** A key, or one that was used just now: what is given for it is stored a moment later. */
const holdsKey = (db: Reader, usedAfter: number) =>
  db.orm
    .select({ one: sql`1` })
    .from(oauthTokens)
    .where(
      and(
        eq(oauthTokens.grantId, authorizations.grantId),
        inArray(oauthTokens.model, ['AccessToken', 'RefreshToken']),
        or(isNull(oauthTokens.consumedAt), gt(oauthTokens.consumedAt, usedAfter)),
      ),
    )

/** Authorizations that can still be used, newest first. */
export function listLiveAuthorizations(db: Reader, now: number): AuthorizationRow[] {
  const live = and(
    eq(oauthTokens.grantId, authorizations.grantId),
    inArray(oauthTokens.model, ['AccessToken', 'RefreshToken']),
    isNull(oauthTokens.consumedAt),
    sql`${oauthTokens.expiresAt} > ${now}`,
  )
  return db.orm
    .select()
    .from(authorizations)
    .where(and(isNull(authorizations.revokedAt), sql`exists (select 1 from ${oauthTokens} where ${live})`))
    .orderBy(sql`${authorizations.id} desc`)
    .all()
}

export function findAuthorization(db: Reader, id: number): AuthorizationRow | undefined {
  return db.orm
    .select()
    .from(authorizations)
    .where(and(eq(authorizations.id, id), isNull(authorizations.revokedAt)))
    .get()
}

/** A refresh token that is used up counts too: what it was exchanged for may not be stored yet, and expires later. */
export function isAuthorizationLive(db: Reader, id: number, now: number): boolean {
  const live = db.orm
    .select({ id: authorizations.id })
    .from(authorizations)
    .innerJoin(oauthTokens, eq(oauthTokens.grantId, authorizations.grantId))
    .where(
      and(
        eq(authorizations.id, id),
        isNull(authorizations.revokedAt),
        inArray(oauthTokens.model, ['AccessToken', 'RefreshToken']),
        sql`${oauthTokens.expiresAt} > ${now}`,
      ),
    )
    .limit(1)
    .get()
  return live !== undefined
}

/** Number of the authorization that a grant belongs to, also of one that ended. */
export function findAuthorizationNumber(db: Reader, grantId: string): number | undefined {
  return db.orm.select({ id: authorizations.id }).from(authorizations).where(eq(authorizations.grantId, grantId)).get()
    ?.id
}

/** Grants of every authorization that is not revoked, or of those of one client. */
export function listGrants(db: Reader, clientId?: string): { id: number; grantId: string }[] {
  return db.orm
    .select({ id: authorizations.id, grantId: authorizations.grantId })
    .from(authorizations)
    .where(
      and(isNull(authorizations.revokedAt), clientId === undefined ? undefined : eq(authorizations.clientId, clientId)),
    )
    .all()
}

/** Deletes at most `max` artifacts that expired. @returns how many */
export function dropExpired(tx: Tx, now: number, max: number): number {
  const expired = tx.orm
    .select({ id: oauthTokens.id })
    .from(oauthTokens)
    .where(lte(oauthTokens.expiresAt, now))
    .limit(max)
  return tx.orm.delete(oauthTokens).where(inArray(oauthTokens.id, expired)).run().changes
}

/** Deletes authorizations made before `before` that hold no key any more. */
export function dropSpentAuthorizations(tx: Tx, before: number): void {
  tx.orm
    .delete(authorizations)
    .where(and(lt(authorizations.createdAt, before), notExists(holdsKey(tx, before))))
    .run()
}

/** Deletes grants made before `before` for which nothing is kept any more. */
export function dropSpentGrants(tx: Tx, before: number): void {
  tx.sqlite
    .prepare(
      `delete from oauth_tokens where model = 'Grant' and created_at < ? and not exists
         (select 1 from oauth_tokens issued where issued.grant_id = substr(oauth_tokens.id, length('Grant:') + 1))`,
    )
    .run(before)
}

/** Deletes clients that registered themselves, were last used (or made) before the given times, and hold no key. */
export function dropSpentClients(tx: Tx, before: { readonly made: number; readonly used: number }): void {
  const holds = tx.orm
    .select({ one: sql`1` })
    .from(oauthTokens)
    .where(eq(oauthTokens.clientId, oauthClients.id))
  tx.orm
    .delete(oauthClients)
    .where(
      and(
        eq(oauthClients.origin, 'registered'),
        sql`case when ${oauthClients.lastUsedAt} is null then ${oauthClients.createdAt} < ${before.made} else ${oauthClients.lastUsedAt} < ${before.used} end`,
        notExists(holds),
      ),
    )
    .run()
}
