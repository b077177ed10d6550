// Reads and writes of crow.md sections. A section belongs to exactly one scope; scopes never fall back here.
import { and, asc, count, eq, gt, isNull, or, sql, type SQL } from 'drizzle-orm'
import type { Database } from '../../../db/client.ts'
import { contextSections } from '../../../db/schema/context.ts'
import type { Position } from '../policy/cursor.ts'
import type { Scope, Section } from '../policy/sections.ts'
import { prepared } from './prepared.ts'

/** Sections that are kept, overrides included: all of them are part of what a model reads. */
export const SECTIONS_MAX = 1000

export interface StoredSection extends Section {
  readonly updatedAt: number
  readonly version: number
}

export interface NewSection extends Scope {
  readonly key: string
  readonly title: string
  readonly content: string
  readonly sortOrder: number
  /** Absent: yes. */
  readonly enabled?: boolean
}

/** Fields that are absent stay as they are. */
export interface SectionChange {
  readonly title?: string
  readonly content?: string
  readonly enabled?: boolean
  readonly sortOrder?: number
}

type Row = typeof contextSections.$inferSelect

/** Sections that can apply in a scope: global, of the device, of the project, and of both together. */
export function sectionsFor(db: Database, scope: Scope): StoredSection[] {
  return db.orm.select().from(contextSections).where(applies(scope)).orderBy(asc(contextSections.id)).all().map(fromRow)
}

/** One page of the sections that can apply in a scope, in the order in which crow.md shows them. */
export function sectionPage(
  db: Database,
  query: { scope: Scope; limit: number; after: Position | undefined },
): { rows: StoredSection[]; next: Position | undefined } {
  const { sortOrder, id } = contextSections
  const [afterOrder, afterId] = query.after ?? []
  const beyond =
    query.after &&
    or(gt(sortOrder, Number(afterOrder)), and(eq(sortOrder, Number(afterOrder)), gt(id, Number(afterId))))
  const rows = db.orm
    .select()
    .from(contextSections)
    .where(and(applies(query.scope), beyond))
    .orderBy(asc(sortOrder), asc(id))
    .limit(query.limit + 1)
    .all()
  const page = rows.slice(0, query.limit)
  const last = page.at(-1)
  return { rows: page.map(fromRow), next: rows.length > page.length && last ? [last.sortOrder, last.id] : undefined }
}

/** The section of a key in exactly this scope. */
export function findSection(db: Database, key: string, scope: Scope): StoredSection | undefined {
  const row = db.orm.select().from(contextSections).where(exactly(key, scope)).get()
  return row && fromRow(row)
}

export function countSections(db: Database): number {
  return db.orm.select({ total: count() }).from(contextSections).get()?.total ?? 0
}

/** @returns the new id, or `undefined` when the scope already has this key */
export function insertSection(db: Database, section: NewSection, now: number): number | undefined {
  const { key, title, ...rest } = section
  return db.orm
    .insert(contextSections)
    .values({ ...rest, sectionKey: key, sectionTitle: title, updatedAt: now })
    .onConflictDoNothing()
    .returning({ id: contextSections.id })
    .get()?.id
}

/** Changes the section of exactly this scope and raises its version. @returns false when there is none */
export function changeSection(db: Database, key: string, scope: Scope, change: SectionChange, now: number): boolean {
  const { title, ...rest } = change
  const values = title === undefined ? rest : { ...rest, sectionTitle: title }
  const { changes } = db.orm
    .update(contextSections)
    .set({ ...values, updatedAt: now, version: sql`${contextSections.version} + 1` })
    .where(exactly(key, scope))
    .run()
  return changes === 1
}

/** @returns false when there is none */
export function removeSection(db: Database, key: string, scope: Scope): boolean {
  return db.orm.delete(contextSections).where(exactly(key, scope)).run().changes === 1
}

function exactly(key: string, { deviceId, projectId }: Scope): SQL | undefined {
  return and(
    eq(contextSections.sectionKey, key),
    deviceId === null ? isNull(contextSections.deviceId) : eq(contextSections.deviceId, deviceId),
    projectId === null ? isNull(contextSections.projectId) : eq(contextSections.projectId, projectId),
  )
}

function applies({ deviceId, projectId }: Scope): SQL | undefined {
  const { deviceId: device, projectId: project } = contextSections
  return and(
    deviceId === null ? isNull(device) : or(isNull(device), eq(device, deviceId)),
    projectId === null ? isNull(project) : or(isNull(project), eq(project, projectId)),
  )
}

function fromRow({ sectionKey, sectionTitle, ...row }: Row): StoredSection {
  return { ...row, key: sectionKey, title: sectionTitle }
}

/** Differs from an earlier mark when any section was added, changed or deleted: ids are never given twice, versions only rise. */
export function sectionsMark(db: Database): string {
  return marks(db).mark.get() ?? ''
}

const marks = prepared((db) => ({
  mark: db.sqlite
    .prepare<[], string>(`SELECT concat_ws('.', count(*), max(id), sum(version)) FROM context_sections`)
    .pluck(),
}))
