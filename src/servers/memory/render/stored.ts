// Renders what storing a memory answers: its id, and what is stored already that says nearly the same.
import type { Memory } from '../queries/memories.ts'
import { element } from './fence.ts'
import { preview } from './excerpt.ts'

const PREVIEW_CHARS_MAX = 200

/** @param similarity by id of the duplicates */
export function renderStored(
  stored: { readonly id: number; readonly category: string; readonly importance: number },
  duplicates: readonly Memory[] = [],
  similarity: ReadonlyMap<number, number> = new Map(),
): string {
  const line = `Stored: id ${stored.id}, category ${preview(stored.category, 100)}, importance ${stored.importance}.`
  if (duplicates.length === 0) return line
  const rows = duplicates.map((memory) =>
    element(
      'memory',
      { id: memory.id, similarity: similarity.get(memory.id) },
      preview(memory.content, PREVIEW_CHARS_MAX),
    ),
  )
  const advice =
    'Near-duplicates were there before. To keep one: crow_update_memory on the older, crow_delete_memory on the new one.'
  return [line, advice, ...rows].join('\n')
}
