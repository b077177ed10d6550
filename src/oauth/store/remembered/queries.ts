// SQL of what is remembered of clients beside their tokens: consents that are not asked for again, documents of those let in.
import { and, eq, lt, notExists, sql } from 'drizzle-orm'
import type { Tx } from '../../../db/client.ts'
import { clientDocuments, consents, oauthClients, oauthTokens } from '../../../db/schema/oauth.ts'

type Reader = Pick<Tx, 'orm'>

interface ConsentKey {
  readonly clientId: string
  readonly redirect: string
  readonly audience: string
  readonly asked: string
}

const isConsent = ({ clientId, redirect, audience, asked }: ConsentKey) =>
  and(
    eq(consents.clientId, clientId),
    eq(consents.redirect, redirect),
    eq(consents.audience, audience),
    eq(consents.asked, asked),
  )

export function findConsent(db: Reader, key: ConsentKey): string | undefined {
  return db.orm.select({ granted: consents.granted }).from(consents).where(isConsent(key)).get()?.granted
}

export function putConsent(tx: Tx, row: ConsentKey & { granted: string; createdAt: number }): void {
  const { granted, createdAt } = row
  tx.orm
    .insert(consents)
    .values(row)
    .onConflictDoUpdate({
      target: [consents.clientId, consents.redirect, consents.audience, consents.asked],
      set: { granted, createdAt },
    })
    .run()
}

/** Every consent that is remembered, newest first, with the name that a registered client gave itself. */
export function listConsents(db: Reader): (typeof consents.$inferSelect & { readonly clientName: string | null })[] {
  const { clientId, redirect, audience, asked, granted, createdAt } = consents
  return db.orm
    .select({ clientId, redirect, audience, asked, granted, createdAt, clientName: oauthClients.name })
    .from(consents)
    .leftJoin(oauthClients, eq(oauthClients.id, clientId))
    .orderBy(sql`${createdAt} desc`)
    .all()
}

export function dropConsent(tx: Tx, key: ConsentKey): void {
  tx.orm.delete(consents).where(isConsent(key)).run()
}

/** Forgets every consent to a client, or of it for one audience: whoever is sent away is asked again. */
export function dropConsents(tx: Tx, clientId?: string, audience?: string): void {
  tx.orm
    .delete(consents)
    .where(
      and(
        clientId === undefined ? undefined : eq(consents.clientId, clientId),
        audience === undefined ? undefined : eq(consents.audience, audience),
      ),
    )
    .run()
}

/** The metadata document that is kept of a client. */
export function findDocument(db: Reader, id: string): Readonly<Record<string, unknown>> | undefined {
  return db.orm
    .select({ document: clientDocuments.document })
    .from(clientDocuments)
    .where(eq(clientDocuments.id, id))
    .get()?.document
}

export function putDocument(tx: Tx, row: typeof clientDocuments.$inferSelect): void {
  const { document, keptAt } = row
  tx.orm
    .insert(clientDocuments)
    .values(row)
    .onConflictDoUpdate({ target: clientDocuments.id, set: { document, keptAt } })
    .run()
}

/** Deletes documents kept before `before` of clients that hold nothing any more. */
export function dropSpentDocuments(tx: Tx, before: number): void {
  const holds = tx.orm
    .select({ one: sql`1` })
    .from(oauthTokens)
    .where(eq(oauthTokens.clientId, clientDocuments.id))
  tx.orm
    .delete(clientDocuments)
    .where(and(lt(clientDocuments.keptAt, before), notExists(holds)))
    .run()
}

/** Forgets consent to clients that are gone. A client with a document of its own (its id is a URL) is never here. */
export function dropSpentConsents(tx: Tx): void {
  tx.sqlite
    .prepare(
      "delete from consents where client_id not like 'https://%' and client_id not in (select id from oauth_clients)",
    )
    .run()
}
