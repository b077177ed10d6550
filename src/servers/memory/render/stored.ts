// Renders what storing a memory answers: its id, and what is stored already that says nearly the same.
import type { NearDuplicate } from '../../../search/spec.ts'
import type { Memory } from '../queries/memories.ts'
import { element } from './fence.ts'
import { preview } from './excerpt.ts'

const PREVIEW_CHARS_MAX = 200

export function renderStored(
  stored: { readonly id: number; readonly category: string; readonly importance: number },
  duplicates: readonly NearDuplicate[],
  found: readonly Memory[],
): string {
  const line = `Stored: id ${stored.id}, category ${preview(stored.category, 100)}, importance ${stored.importance}.`
  if (found.length === 0) return line
  const similarity = new Map(duplicates.map((duplicate) => [duplicate.id, duplicate.similarity]))
  const rows = found.map((memory) =>
    element(
      'memory',
      { id: memory.id, similarity: similarity.get(memory.id) },
      preview(memory.content, PREVIEW_CHARS_MAX),
    ),
  )
  const advice = `Near-duplicates were there before. To keep one: crow_update_memory on the older, crow_delete_memory on id ${stored.id}.`
  return [line, advice, ...rows].join('\n')
}
