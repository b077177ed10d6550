// Memories as a store that searches across rooms can ask.
import type { Searchable } from '../../runtime/context.ts'
import { preview } from './render/excerpt.ts'
import { queryMemories } from './searching.ts'

const TITLE_CHARS_MAX = 80

export const memorySearchable: Searchable = {
  id: 'memories',
  async search({ text, limit, projectId, importanceMin }, ctx) {
    const { memories, page } = await queryMemories(ctx, { text, filter: { projectId, importanceMin }, limit })
    const scores = new Map(page.hits.map((hit) => [hit.id, hit.score]))
    return memories.map((memory) => ({
      id: memory.id,
      title: preview(memory.content, TITLE_CHARS_MAX),
      text: memory.content,
      score: scores.get(memory.id) ?? 0,
      at: memory.createdAt,
    }))
  },
}
