// What dream reads and writes: the vital facts of every memory, and merges that can be undone in one step.
import { and, asc, desc, eq, gt, isNull, lt, sql } from 'drizzle-orm'
import type { Database } from '../../../db/client.ts'
import { dreams, memories } from '../../../db/schema/memory.ts'
import { mergedFields, type MergeGroup } from '../policy/merging.ts'
import { changeMemory, hideMemory, undeleteMemory } from './memory-writes.ts'
import { findMemory } from './memories.ts'
import { prepared } from './prepared.ts'

/** What the report needs of a memory. */
export interface Vital {
  readonly id: number
  readonly category: string
  readonly importance: number
  /** When it was last read or changed, epoch milliseconds. */
  readonly lastUse: number
}

/** What undoing a merge needs: the kept memory as it was, and who was absorbed. */
interface UndoneGroup {
  readonly keep: number
  /** The version the merge left; a later change of the memory is not overwritten. */
  readonly version: number
  readonly tags: readonly string[]
  readonly importance: number
  readonly context: string | null
  readonly accessesAdded: number
  readonly absorbed: readonly number[]
}

const statements = prepared((db) => ({
  vitals: db.orm
    .select({
      id: memories.id,
      category: memories.category,
      importance: memories.importance,
      lastUse: sql<number>`max(coalesce(${memories.accessedAt}, 0), ${memories.updatedAt})`,
    })
    .from(memories)
    .where(and(isNull(memories.deletedAt), gt(memories.id, sql.placeholder('after'))))
    .orderBy(asc(memories.id))
    .limit(sql.placeholder('rowsMax'))
    .prepare(),
}))

/** The next live memories after an id, in the order of ids. */
export function vitalsAfter(db: Database, after: number, rowsMax: number): Vital[] {
  return statements(db).vitals.all({ after, rowsMax })
}

/** Ids of the newest live memories. */
export function newestIds(db: Database, rowsMax: number): number[] {
  return db.orm
    .select({ id: memories.id })
    .from(memories)
    .where(isNull(memories.deletedAt))
    .orderBy(desc(memories.createdAt), desc(memories.id))
    .limit(rowsMax)
    .all()
    .map(({ id }) => id)
}

/**
 * Merges groups in one step and keeps what undoing needs. A group of which a member changed since it was planned is left out.
 * @returns the id of the step and the groups that were merged, or `undefined` when none was
 */
export function mergeGroups(
  db: Database,
  groups: readonly MergeGroup[],
  caller: string,
  now: number,
): { id: number; merged: MergeGroup[] } | undefined {
  const merged = groups.filter(({ keep, absorb }) =>
    [keep, ...absorb].every((memory) => findMemory(db, memory.id)?.version === memory.version),
  )
  if (merged.length === 0) return undefined
  const undo = merged.map((group) => merge(db, group, now))
  const { id } = db.orm.insert(dreams).values({ createdAt: now, caller, undo }).returning({ id: dreams.id }).get()
  return { id, merged }
}

/**
 * Takes back one merge: absorbed memories return, the kept one gets its fields back unless it was changed since.
 * @returns how many returned and which kept memories were left alone, or `undefined` when there is no such merge to undo
 */
export function undoMerge(
  db: Database,
  id: number,
  now: number,
): { restored: number; leftAlone: number[] } | undefined {
  const { changes } = db.orm
    .update(dreams)
    .set({ undoneAt: now })
    .where(and(eq(dreams.id, id), isNull(dreams.undoneAt)))
    .run()
  const row =
    changes === 1 ? db.orm.select({ undo: dreams.undo }).from(dreams).where(eq(dreams.id, id)).get() : undefined
  if (row === undefined) return undefined
  let restored = 0
  const leftAlone: number[] = []
  for (const group of readUndo(row.undo)) {
    restored += group.absorbed.filter((absorbed) => undeleteMemory(db, absorbed, now) !== undefined).length
    if (!restoreKept(db, group, now)) leftAlone.push(group.keep)
  }
  return { restored, leftAlone }
}

/** Forgets merges that can no longer be undone. @returns how many */
export function purgeDreams(db: Database, before: number): number {
  return db.orm.delete(dreams).where(lt(dreams.createdAt, before)).run().changes
}

function merge(db: Database, group: MergeGroup, now: number): UndoneGroup {
  const { keep, absorb } = group
  const fields = mergedFields(group)
  const kept = changeMemory(db, keep.id, fields, now)
  for (const memory of absorb) hideMemory(db, memory.id, now)
  return {
    keep: keep.id,
    version: kept?.version ?? keep.version,
    tags: keep.tags,
    importance: keep.importance,
    context: keep.context,
    accessesAdded: fields.accessCount - keep.accessCount,
    absorbed: absorb.map((memory) => memory.id),
  }
}

function restoreKept(db: Database, group: UndoneGroup, now: number): boolean {
  const memory = findMemory(db, group.keep)
  if (memory === undefined || memory.version !== group.version) return false
  const { tags, importance, context } = group
  const accessCount = Math.max(0, memory.accessCount - group.accessesAdded)
  changeMemory(db, group.keep, { tags, importance, context, accessCount }, now)
  return true
}

function readUndo(stored: unknown): UndoneGroup[] {
  if (!Array.isArray(stored) || !stored.every(isUndoneGroup))
    throw new TypeError('the undo record of a merge is damaged')
  return stored
}

function isUndoneGroup(value: unknown): value is UndoneGroup {
  if (typeof value !== 'object' || value === null) return false
  const group: Partial<Record<keyof UndoneGroup, unknown>> = value
  return (
    [group.keep, group.version, group.importance, group.accessesAdded].every((field) => typeof field === 'number') &&
    (group.context === null || typeof group.context === 'string') &&
    [group.tags, group.absorbed].every((field) => Array.isArray(field))
  )
}
