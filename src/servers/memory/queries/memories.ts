// Reads of memories: by id, as a list, counted. Deleted rows are seen by none of them unless the name says so.
import { and, asc, count, desc, eq, gte, inArray, isNotNull, isNull, sql, type SQL } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import type { Database } from '../../../db/client.ts'
import { memories, memoryEmbeddings, memoryTags } from '../../../db/schema/memory.ts'
import type { Position } from '../policy/cursor.ts'
import { tagsMeant } from '../policy/tags.ts'
import { prepared } from './prepared.ts'

type MemoryRow = typeof memories.$inferSelect

export interface Memory extends MemoryRow {
  /** Sorted. */
  readonly tags: readonly string[]
}

/** Conditions that every list and search of memories understands. */
export interface MemoryFilter {
  readonly category?: string | undefined
  /** Any of these. */
  readonly tags?: readonly string[] | undefined
  readonly importanceMin?: number | undefined
  readonly instanceId?: string | undefined
  readonly projectId?: number | undefined
}

/** The filter that a tool's parameters name. */
export function filterOf(input: {
  readonly category?: string
  readonly tag?: string
  readonly min_importance?: number
  readonly instance_id?: string
  readonly project_id?: number
}): MemoryFilter {
  return {
    category: input.category,
    tags: input.tag === undefined ? undefined : tagsMeant(input.tag),
    importanceMin: input.min_importance,
    instanceId: input.instance_id,
    projectId: input.project_id,
  }
}

export type MemoryOrder = 'recent' | 'importance' | 'accessed'

/** A tag on so many memories is frequent. */
const FREQUENT_TAG_USES = 1000

const ids = sql`(SELECT value FROM json_each(${sql.placeholder('ids')}))`
const live = isNull(memories.deletedAt)

const statements = prepared((db) => ({
  byId: db.orm
    .select()
    .from(memories)
    .where(eq(memories.id, sql.placeholder('id')))
    .prepare(),
  byIds: db.orm
    .select()
    .from(memories)
    .where(and(live, sql`${memories.id} IN ${ids}`))
    .prepare(),
  tags: db.orm
    .select({ memoryId: memoryTags.memoryId, tag: memoryTags.tag })
    .from(memoryTags)
    .where(sql`${memoryTags.memoryId} IN ${ids}`)
    .orderBy(asc(memoryTags.tag))
    .prepare(),
  tagsOfOne: db.orm
    .select({ tag: memoryTags.tag })
    .from(memoryTags)
    .where(eq(memoryTags.memoryId, sql.placeholder('id')))
    .orderBy(asc(memoryTags.tag))
    .prepare(),
  tagUses: db.orm
    .select({ memoryId: memoryTags.memoryId })
    .from(memoryTags)
    .where(eq(memoryTags.tag, sql.placeholder('tag')))
    .limit(FREQUENT_TAG_USES)
    .prepare(),
}))

/** One memory, or `undefined` when it is absent or deleted. */
export function findMemory(db: Database, id: number): Memory | undefined {
  const memory = findEvenDeleted(db, id)
  return memory?.deletedAt === null ? memory : undefined
}

/** As `findMemory`, but sees rows that wait to be purged. */
export function findEvenDeleted(db: Database, id: number): Memory | undefined {
  const row = statements(db).byId.get({ id })
  if (row === undefined) return undefined
  return {
    ...row,
    tags: statements(db)
      .tagsOfOne.all({ id })
      .map(({ tag }) => tag),
  }
}

/** Memories in the order of the ids given; absent and deleted ones are left out. */
export function findMemories(db: Database, wanted: readonly number[]): Memory[] {
  if (wanted.length === 0) return []
  const rows = statements(db).byIds.all({ ids: JSON.stringify(wanted) })
  const byId = new Map(withTags(db, rows).map((memory) => [memory.id, memory]))
  return wanted.flatMap((id) => byId.get(id) ?? [])
}

/**
 * One page of a list, and the position after it when there is more. Never accessed memories come last in the order of access,
 * newest first; that tail is a range of its own, so that both ranges are read off an index.
 */
export function memoryPage(
  db: Database,
  query: { filter: MemoryFilter; order: MemoryOrder; limit: number; after: Position | undefined },
): { rows: Memory[]; next: Position | undefined } {
  const { order, limit, after } = query
  const given = conditions(db, query.filter)
  const wanted = limit + 1
  const rows: MemoryRow[] = []
  if (order !== 'accessed') rows.push(...range(db, given, orderKeys[order], after, wanted))
  else {
    if (after === undefined || after[0] !== NEVER)
      rows.push(...range(db, [...given, isNotNull(memories.accessedAt)], orderKeys.accessed, after, wanted))
    if (rows.length < wanted) {
      const tail = after?.[0] === NEVER ? after.slice(1) : undefined
      rows.push(...range(db, [...given, isNull(memories.accessedAt)], [memories.id], tail, wanted - rows.length))
    }
  }
  const page = rows.slice(0, limit)
  const last = page.at(-1)
  return { rows: withTags(db, page), next: rows.length > page.length && last ? positionOf(order, last) : undefined }
}

/** Live memories per category, most first. */
export function countByCategory(db: Database, filter: MemoryFilter = {}): { category: string; count: number }[] {
  return db.orm
    .select({ category: memories.category, count: count() })
    .from(memories)
    .where(and(...conditions(db, filter)))
    .groupBy(memories.category)
    .orderBy(desc(count()), asc(memories.category))
    .all()
}

/** Live memories per importance, highest first. */
export function countByImportance(db: Database): { importance: number; count: number }[] {
  return db.orm
    .select({ importance: memories.importance, count: count() })
    .from(memories)
    .where(live)
    .groupBy(memories.importance)
    .orderBy(desc(memories.importance))
    .all()
}

/** How many live memories carry a vector of a model. */
export function countVectors(db: Database, model: string): number {
  return (
    db.orm
      .select({ total: count() })
      .from(memoryEmbeddings)
      .innerJoin(memories, eq(memories.id, memoryEmbeddings.memoryId))
      .where(and(live, eq(memoryEmbeddings.model, model)))
      .get()?.total ?? 0
  )
}

/** Rows that are deleted but not yet purged. */
export function countDeleted(db: Database): number {
  return db.orm.select({ total: count() }).from(memories).where(isNotNull(memories.deletedAt)).get()?.total ?? 0
}

/** Ids of live memories of a category (or all), oldest first. */
export function memoryIds(db: Database, category: string | undefined): number[] {
  return db.orm
    .select({ id: memories.id })
    .from(memories)
    .where(and(...conditions(db, { category })))
    .orderBy(asc(memories.id))
    .all()
    .map(({ id }) => id)
}

/** The same conditions as SQL text over alias `r`, for the search index. */
export function searchFilters(filter: MemoryFilter): { sql: string; params: (string | number)[] }[] {
  const { category, tags, importanceMin, instanceId, projectId } = filter
  return [
    category !== undefined && { sql: 'r.category = ?', params: [category] },
    tags !== undefined && {
      sql: `r.id IN (SELECT memory_id FROM memory_tags WHERE tag IN (${tags.map(() => '?').join(', ')}))`,
      params: [...tags],
    },
    importanceMin !== undefined && { sql: 'r.importance >= ?', params: [importanceMin] },
    instanceId !== undefined && { sql: 'r.instance_id = ?', params: [instanceId] },
    projectId !== undefined && { sql: 'r.project_id = ?', params: [projectId] },
  ].filter((condition) => condition !== false)
}

function conditions(db: Database, { category, tags, importanceMin, instanceId, projectId }: MemoryFilter): SQL[] {
  return [
    live,
    category === undefined ? undefined : eq(memories.category, category),
    tags === undefined ? undefined : tagged(db, tags),
    importanceMin === undefined ? undefined : gte(memories.importance, importanceMin),
    instanceId === undefined ? undefined : eq(memories.instanceId, instanceId),
    projectId === undefined ? undefined : eq(memories.projectId, projectId),
  ].filter((condition) => condition !== undefined)
}

/** A rare tag leads to its few rows; a frequent one is looked up row by row, which soon fills a page. */
function tagged(db: Database, tags: readonly string[]): SQL {
  const isRare = tags.every((tag) => statements(db).tagUses.all({ tag }).length < FREQUENT_TAG_USES)
  const any = inArray(memoryTags.tag, [...tags])
  return isRare
    ? sql`${memories.id} IN (SELECT memory_id FROM ${memoryTags} WHERE ${any})`
    : sql`EXISTS (SELECT 1 FROM ${memoryTags} WHERE ${memoryTags.memoryId} = ${memories.id} AND ${any})`
}

/** Most significant first; the last one is unique. */
const orderKeys = {
  recent: [memories.createdAt, memories.id],
  importance: [memories.importance, memories.createdAt, memories.id],
  accessed: [memories.accessedAt, memories.id],
} as const

/** Stands for the access time of a memory that was never accessed. */
const NEVER = null

function positionOf(order: MemoryOrder, row: MemoryRow): Position {
  if (order === 'importance') return [row.importance, row.createdAt, row.id]
  return order === 'accessed' ? [row.accessedAt ?? NEVER, row.id] : [row.createdAt, row.id]
}

/** Rows in descending order of the keys, beyond a position; one range of an index. */
function range(
  db: Database,
  given: readonly SQL[],
  keys: readonly SQLiteColumn[],
  after: Position | undefined,
  limit: number,
): MemoryRow[] {
  return db.orm
    .select()
    .from(memories)
    .where(and(...given, after && sql`(${list(keys)}) < (${list(after)})`))
    .orderBy(...keys.map((key) => desc(key)))
    .limit(limit)
    .all()
}

function withTags(db: Database, rows: readonly MemoryRow[]): Memory[] {
  const tags = new Map<number, string[]>(rows.map((row) => [row.id, []]))
  for (const { memoryId, tag } of statements(db).tags.all({ ids: JSON.stringify([...tags.keys()]) })) {
    tags.get(memoryId)?.push(tag)
  }
  return rows.map((row) => ({ ...row, tags: tags.get(row.id) ?? [] }))
}

function list(parts: readonly (SQLiteColumn | Position[number])[]): SQL {
  return sql.join(
    parts.map((part) => sql`${part}`),
    sql`, `,
  )
}
