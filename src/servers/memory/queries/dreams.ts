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
 * Merges groups and keeps what undoing needs. A group of which a member changed since it was planned is left out.
 * @param step continue this one, which was made by an earlier write: one undo takes all of it back
 * @returns the id of the step and the groups that were merged, or `undefined` when none was
 */
export function mergeGroups(
  db: Database,
  groups: readonly MergeGroup[],
  { caller, now, step }: { readonly caller: string; readonly now: number; readonly step: number | undefined },
): { id: number; merged: MergeGroup[] } | undefined {
  const earlier = step === undefined ? [] : undoRecord(db, step)
  if (earlier === undefined) return undefined
  const merged = groups.filter(({ keep, absorb }) =>
    [keep, ...absorb].every((memory) => findMemory(db, memory.id)?.version === memory.version),
  )
  if (merged.length === 0) return undefined
  const undo = [...earlier, ...merged.map((group) => merge(db, group, now))]
  if (step !== undefined) {
    db.orm.update(dreams).set({ undo }).where(eq(dreams.id, step)).run()
    return { id: step, merged }
  }
  const { id } = db.orm.insert(dreams).values({ createdAt: now, caller, undo }).returning({ id: dreams.id }).get()
  return { id, merged }
}

/** What a step that was not taken back needs for its undoing. */
function undoRecord(db: Database, id: number): UndoneGroup[] | undefined {
  const row = db.orm
    .select({ undo: dreams.undo })
    .from(dreams)
    .where(and(eq(dreams.id, id), isNull(dreams.undoneAt)))
    .get()
  return row && readUndo(row.undo)
}

/**
 * Takes back a part of a merge: absorbed memories return, the kept one gets its fields back unless it was changed since. A merge
 * that was taken back to the end is not there any more; one that was not can be taken back again.
 * @param from how many of its groups were taken back before
 * @returns how many returned, which kept memories were left alone and whether that was all, or `undefined` when there is no such merge
 */
export function undoMerge(
  db: Database,
  id: number,
  { from, count, now }: { readonly from: number; readonly count: number; readonly now: number },
): { restored: number; leftAlone: number[]; isDone: boolean } | undefined {
  const groups = undoRecord(db, id)
  if (groups === undefined) return undefined
  let restored = 0
  const leftAlone: number[] = []
  for (const group of groups.slice(from, from + count)) {
    restored += group.absorbed.filter((absorbed) => undeleteMemory(db, absorbed, now) !== undefined).length
    if (!restoreKept(db, group, now)) leftAlone.push(group.keep)
  }
  const isDone = from + count >= groups.length
  if (isDone) db.orm.update(dreams).set({ undoneAt: now }).where(eq(dreams.id, id)).run()
  return { restored, leftAlone, isDone }
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
