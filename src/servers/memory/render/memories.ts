// Renders memories for a model: one framed element per row, long content cut around what was asked.
import type { Memory } from '../queries/memories.ts'
import { writeTags } from '../policy/tags.ts'
import { element, fenceAttribute } from './fence.ts'
import { excerpt, preview } from './excerpt.ts'
import { counted } from './page.ts'
import { isoTime, isoTimeIf } from './time.ts'

/** All rows of one reply share this much content. */
const REPLY_CHARS = 24_000
const ROW_CHARS_MIN = 300
const ROW_CHARS_MAX = 2_000
const CONTEXT_CHARS_MAX = 300
const CATEGORY_CHARS_MAX = 60

/** Content a row may show when a reply has so many of them. */
export function rowChars(rows: number): number {
  return Math.max(ROW_CHARS_MIN, Math.min(ROW_CHARS_MAX, Math.floor(REPLY_CHARS / Math.max(1, rows))))
}

/**
 * One memory: `<memory id category importance created tags source>content</memory>`.
 * @param question where long content is cut around; '' shows its start
 */
export function renderMemory(memory: Memory, question: string, charsMax: number): string {
  const content = excerpt(memory.content, question, charsMax)
  const attributes = {
    id: memory.id,
    category: memory.category,
    importance: memory.importance,
    created: isoTime(memory.createdAt),
    tags: writeTags(memory.tags),
    context: excerpt(memory.context ?? '', question, CONTEXT_CHARS_MAX).text,
    source: memory.source,
    project_id: memory.projectId,
    instance_id: memory.instanceId,
    excerpt: content.cut ? `${memory.content.length} characters in full: crow_get_memory` : undefined,
  }
  return element('memory', attributes, content.text)
}

/** Everything of one memory that there is, as data; times in ISO 8601 UTC, those of later only where something happened later. */
export function memoryFacts(memory: Memory): Record<string, unknown> {
  const { tags, createdAt, updatedAt } = memory
  const facts = {
    id: memory.id,
    content: memory.content,
    category: memory.category,
    importance: memory.importance,
    tags: tags.length === 0 ? null : tags,
    source: memory.source,
    context: memory.context,
    instance_id: memory.instanceId,
    project_id: memory.projectId,
    created_at: isoTime(createdAt),
    updated_at: updatedAt === createdAt ? null : isoTime(updatedAt),
    accessed_at: isoTimeIf(memory.accessedAt),
    access_count: memory.accessCount,
    version: memory.version,
  }
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => (value ?? '') !== ''))
}

/** What a person sees before a memory goes. */
export function renderDeletion(memory: Memory): string {
  const category = fenceAttribute(preview(memory.category, CATEGORY_CHARS_MAX))
  const facts = `category "${category}", importance ${memory.importance}, created ${isoTime(memory.createdAt)}`
  const lastRead = isoTimeIf(memory.accessedAt)
  const used = lastRead === undefined ? 'never read' : `read ${counted(memory.accessCount, 'time')}, last ${lastRead}`
  const content = element('memory', {}, excerpt(memory.content, '', ROW_CHARS_MIN).text)
  return `Deletes memory id ${memory.id} (${facts}; ${used}):\n${content}`
}
