// Memories for the search tests: written as the gateway writes them, row and index in one transaction.
import type { TestContext } from 'node:test'
import type { Database } from '../../../src/db/client.ts'
import { memoryIndex } from '../../../src/search/memory-index.ts'
import { createRanker } from '../../../src/search/ranker.ts'
import type { RowFilter } from '../../../src/search/spec.ts'
import { indexRow, indexScript, unindexRow } from '../../../src/search/text-index.ts'
import { temporaryDatabase } from '../db/temporary.ts'

export interface TestMemory {
  readonly content: string
  readonly context?: string
  readonly tags?: readonly string[]
  readonly source?: string
  readonly category?: string
  readonly importance?: number
  readonly at?: number
}

export async function searchDatabase(t: Pick<TestContext, 'after'>): Promise<Database> {
  return temporaryDatabase(t, { repeatable: [indexScript(memoryIndex)] })
}

function index(db: Database, id: number, memory: TestMemory): void {
  const { content, context, tags, source, category, importance = 5, at = 0 } = memory
  indexRow(db.sqlite, memoryIndex, id, {
    fields: { content, context, tags: tags?.toSorted().join(' '), source, category: category ?? 'general' },
    importance,
    at,
  })
}

/** Stores memories and returns their ids. */
export async function store(db: Database, ...memories: readonly (TestMemory | string)[]): Promise<number[]> {
  return db.write(({ sqlite }) =>
    memories.map((one) => {
      const memory = typeof one === 'string' ? { content: one } : one
      const { content, context = null, source = null, category = 'general', importance = 5, at = 0, tags = [] } = memory
      const inserted = sqlite
        .prepare(
          `INSERT INTO memories (uid, content, context, source, category, importance, created_at, updated_at)
           VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
        )
        .run(crypto.randomUUID(), content, context, source, category, importance, at, at)
      const id = Number(inserted.lastInsertRowid)
      for (const tag of tags) sqlite.prepare('INSERT INTO memory_tags (memory_id, tag) VALUES (?, ?)').run(id, tag)
      index(db, id, memory)
      return id
    }),
  )
}

/** Changes a memory's text and its index entry. */
export async function change(db: Database, id: number, content: string): Promise<void> {
  await db.write(({ sqlite }) => {
    sqlite.prepare('UPDATE memories SET content = ? WHERE id = ?').run(content, id)
    index(db, id, { content })
  })
}

/** Soft delete, undelete and hard delete, each with what the index needs. */
export async function softDelete(db: Database, id: number): Promise<void> {
  await db.write(({ sqlite }) => {
    sqlite.prepare('UPDATE memories SET deleted_at = 1 WHERE id = ?').run(id)
    unindexRow(sqlite, memoryIndex, id)
  })
}

export async function undelete(db: Database, id: number): Promise<void> {
  await db.write(({ sqlite }) => {
    sqlite.prepare('UPDATE memories SET deleted_at = NULL WHERE id = ?').run(id)
    const content = String(sqlite.prepare('SELECT content FROM memories WHERE id = ?').pluck().get(id))
    index(db, id, { content })
  })
}

export async function hardDelete(db: Database, id: number): Promise<void> {
  await db.write(({ sqlite }) => {
    sqlite.prepare('DELETE FROM memories WHERE id = ?').run(id)
    unindexRow(sqlite, memoryIndex, id)
  })
}

/** Ids that a search finds, best first. */
export function found(db: Database, text: string, filters: readonly RowFilter[] = []): number[] {
  return createRanker(db.sqlite, memoryIndex)
    .rank(text, filters)
    .hits.map((hit) => hit.id)
}
