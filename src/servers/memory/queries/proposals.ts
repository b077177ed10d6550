// Changes of crow.md that wait for the owner: one per section at most, numbered, never altered.
import { and, asc, count, eq, isNull, or, type SQL } from 'drizzle-orm'
import type { Database } from '../../../db/client.ts'
import { contextProposals } from '../../../db/schema/context.ts'
import type { Scope } from '../policy/sections.ts'

/** Changes that may wait at once: more than anybody would look through. */
export const PROPOSALS_MAX = 200

export type ProposalAction = 'add' | 'update' | 'delete'

export interface NewProposal extends Scope {
  readonly action: ProposalAction
  readonly key: string
  readonly title: string
  readonly content: string
  readonly sortOrder: number
  readonly enabled: boolean
  /** The section that it was made from; null for a new one. */
  readonly sectionId: number | null
  readonly sectionVersion: number | null
  readonly caller: string
  readonly client: string | null
}

export interface Proposal extends NewProposal {
  readonly id: number
  readonly createdAt: number
}

type Row = typeof contextProposals.$inferSelect

/** All that wait, oldest first. */
export function listProposals(db: Database): Proposal[] {
  return db.orm.select().from(contextProposals).orderBy(asc(contextProposals.id)).all().map(fromRow)
}

/** Those that concern a scope: its own, and the ones of the scopes it falls back to. */
export function proposalsFor(db: Database, { deviceId, projectId }: Scope): Proposal[] {
  const { deviceId: device, projectId: project } = contextProposals
  const applies = and(
    deviceId === null ? isNull(device) : or(isNull(device), eq(device, deviceId)),
    projectId === null ? isNull(project) : or(isNull(project), eq(project, projectId)),
  )
  return db.orm.select().from(contextProposals).where(applies).orderBy(asc(contextProposals.id)).all().map(fromRow)
}

export function findProposal(db: Database, id: number): Proposal | undefined {
  const row = db.orm.select().from(contextProposals).where(eq(contextProposals.id, id)).get()
  return row && fromRow(row)
}

/** What waits for the section of a key in exactly this scope. */
export function proposalOf(db: Database, key: string, scope: Scope): Proposal | undefined {
  const row = db.orm.select().from(contextProposals).where(exactly(key, scope)).get()
  return row && fromRow(row)
}

export function countProposals(db: Database): number {
  return db.orm.select({ total: count() }).from(contextProposals).get()?.total ?? 0
}

/** Takes the place of what waits for the same section. @returns the new number */
export function putProposal(db: Database, proposal: NewProposal, now: number): number {
  const { key, title, ...rest } = proposal
  db.orm.delete(contextProposals).where(exactly(key, proposal)).run()
  return db.orm
    .insert(contextProposals)
    .values({ ...rest, sectionKey: key, sectionTitle: title, createdAt: now })
    .returning({ id: contextProposals.id })
    .get().id
}

/** @returns false when there is none */
export function removeProposal(db: Database, id: number): boolean {
  return db.orm.delete(contextProposals).where(eq(contextProposals.id, id)).run().changes === 1
}

function exactly(key: string, { deviceId, projectId }: Scope): SQL | undefined {
  return and(
    eq(contextProposals.sectionKey, key),
    deviceId === null ? isNull(contextProposals.deviceId) : eq(contextProposals.deviceId, deviceId),
    projectId === null ? isNull(contextProposals.projectId) : eq(contextProposals.projectId, projectId),
  )
}

function fromRow({ sectionKey, sectionTitle, ...row }: Row): Proposal {
  return { ...row, key: sectionKey, title: sectionTitle }
}
