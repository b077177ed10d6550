// Every change of a memory, each with its tags and its place in the search index, so that no caller can forget one of them.
// All of these are synchronous and belong inside `db.write`.
import { and, eq, isNotNull, isNull, lt, sql } from 'drizzle-orm'
import type { Database } from '../../../db/client.ts'
import { memories, memoryEmbeddings, memoryTags } from '../../../db/schema/memory.ts'
import { memoryIndex } from '../../../search/memory-index.ts'
import { indexRow, unindexRow } from '../../../search/text-index.ts'
import { findEvenDeleted, findMemory, type Memory } from './memories.ts'
import { prepared } from './prepared.ts'

export interface NewMemory {
  readonly uid: string
  readonly content: string
  readonly category: string
  readonly context: string | null
  readonly source: string | null
  readonly importance: number
  readonly projectId: number | null
  readonly instanceId: string | null
  readonly tags: readonly string[]
}

/** Fields that are absent stay as they are. */
export interface MemoryChange {
  readonly content?: string
  readonly category?: string
  readonly context?: string | null
  readonly importance?: number
  readonly tags?: readonly string[]
  readonly accessCount?: number
}

/** How often a memory was shown, and when last. */
export interface Access {
  readonly id: number
  readonly at: number
  readonly times: number
}

const statements = prepared((db) => ({
  insert: db.orm
    .insert(memories)
    .values({
      uid: sql.placeholder('uid'),
      content: sql.placeholder('content'),
      category: sql.placeholder('category'),
      context: sql.placeholder('context'),
      source: sql.placeholder('source'),
      importance: sql.placeholder('importance'),
      projectId: sql.placeholder('projectId'),
      instanceId: sql.placeholder('instanceId'),
      createdAt: sql.placeholder('now'),
      updatedAt: sql.placeholder('now'),
      lamport: 1,
    })
    .returning({ id: memories.id })
    .prepare(),
  addTag: db.orm
    .insert(memoryTags)
    .values({ memoryId: sql.placeholder('id'), tag: sql.placeholder('tag') })
    .prepare(),
  dropTags: db.orm
    .delete(memoryTags)
    .where(eq(memoryTags.memoryId, sql.placeholder('id')))
    .prepare(),
  dropVector: db.orm
    .delete(memoryEmbeddings)
    .where(eq(memoryEmbeddings.memoryId, sql.placeholder('id')))
    .prepare(),
  touch: db.orm
    .update(memories)
    .set({
      accessedAt: sql`max(coalesce(${memories.accessedAt}, 0), ${sql.placeholder('at')})`,
      accessCount: sql`${memories.accessCount} + ${sql.placeholder('times')}`,
    })
    .where(and(eq(memories.id, sql.placeholder('id')), isNull(memories.deletedAt)))
    .prepare(),
}))

/** Stores a memory. @returns its id */
export function insertMemory(db: Database, memory: NewMemory, now: number): number {
  const { tags, ...columns } = memory
  const id = statements(db).insert.get({ ...columns, now }).id
  for (const tag of tags) statements(db).addTag.run({ id, tag })
  indexMemory(db, id, { ...memory, createdAt: now })
  return id
}

/** Changes a live memory and raises its version. @returns the memory as it is now, or `undefined` when there is none */
export function changeMemory(db: Database, id: number, change: MemoryChange, now: number): Memory | undefined {
  if (findMemory(db, id) === undefined) return undefined
  const { tags, ...columns } = change
  db.orm
    .update(memories)
    .set({ ...columns, ...nextVersion(now) })
    .where(eq(memories.id, id))
    .run()
  if (tags !== undefined) {
    statements(db).dropTags.run({ id })
    for (const tag of tags) statements(db).addTag.run({ id, tag })
  }
  if (change.content !== undefined) statements(db).dropVector.run({ id })
  const memory = findMemory(db, id)
  if (memory !== undefined) indexMemory(db, id, memory)
  return memory
}

/** Hides a memory from every list and search; the row stays until it is purged. @returns false when there is none */
export function hideMemory(db: Database, id: number, now: number): boolean {
  const { changes } = db.orm
    .update(memories)
    .set({ deletedAt: now, ...nextVersion(now) })
    .where(and(eq(memories.id, id), isNull(memories.deletedAt)))
    .run()
  if (changes === 0) return false
  unindexRow(db.sqlite, memoryIndex, id)
  statements(db).dropVector.run({ id })
  return true
}

/** Brings a deleted memory back. @returns the memory, or `undefined` when there is no deleted row of this id */
export function undeleteMemory(db: Database, id: number, now: number): Memory | undefined {
  const deleted = findEvenDeleted(db, id)
  if (deleted === undefined || deleted.deletedAt === null) return undefined
  db.orm
    .update(memories)
    .set({ deletedAt: null, ...nextVersion(now) })
    .where(eq(memories.id, id))
    .run()
  indexMemory(db, id, deleted)
  return findMemory(db, id)
}

/** Erases rows that were deleted before a time, oldest first, at most `rowsMax`. @returns how many */
export function purgeMemories(db: Database, deletedBefore: number, rowsMax: number): number {
  const old = db.orm
    .select({ id: memories.id })
    .from(memories)
    .where(and(isNotNull(memories.deletedAt), lt(memories.deletedAt, deletedBefore)))
    .orderBy(memories.deletedAt)
    .limit(rowsMax)
    .all()
  for (const { id } of old) {
    unindexRow(db.sqlite, memoryIndex, id)
    db.orm.delete(memories).where(eq(memories.id, id)).run()
  }
  return old.length
}

/** Adds to the access counters. Versions and search index do not move. */
export function touchMemories(db: Database, accesses: readonly Access[]): void {
  for (const { id, at, times } of accesses) statements(db).touch.run({ id, at, times })
}

/** What every change of a row carries with it. */
function nextVersion(now: number) {
  return { updatedAt: now, version: sql`${memories.version} + 1`, lamport: sql`${memories.lamport} + 1` }
}

type Indexed = Pick<Memory, 'content' | 'context' | 'source' | 'category' | 'importance' | 'tags' | 'createdAt'>

function indexMemory(db: Database, id: number, memory: Indexed): void {
  const { content, context, source, category, importance, tags, createdAt } = memory
  const fields = { content, context, source, category, tags: tags.join(' ') }
  indexRow(db.sqlite, memoryIndex, id, { fields, importance, at: createdAt })
}
