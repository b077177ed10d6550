// Renders the counts of what is stored.
import type { Memory } from '../queries/memories.ts'
import { categoryCounts } from './categories.ts'
import { DATA_NOTE, element } from './fence.ts'
import { preview } from './excerpt.ts'
import { counted } from './page.ts'
import { isoTime } from './time.ts'

const CATEGORIES_MAX = 50
const PREVIEW_CHARS_MAX = 80

export interface Stats {
  readonly categories: readonly { category: string; count: number }[]
  readonly importances: readonly { importance: number; count: number }[]
  readonly recent: readonly Memory[]
  /** Deleted rows that are not erased yet. */
  readonly deleted: number
  /** Absent when no embeddings endpoint is configured. */
  readonly vectors: { readonly model: string; readonly count: number } | undefined
}

export function renderStats({ categories, importances, recent, deleted, vectors }: Stats): string {
  const total = categories.reduce((sum, { count }) => sum + count, 0)
  const lines = [
    `total: ${counted(total, 'memory', 'memories')}`,
    deleted > 0 && `deleted, not yet erased: ${deleted}`,
    total > 0 && `by category: ${categoryCounts(categories, CATEGORIES_MAX)}`,
    total > 0 && `by importance: ${importances.map(({ importance, count }) => `${importance}: ${count}`).join(', ')}`,
    meaning(total, vectors),
    recent.length > 0 && `newest (${DATA_NOTE.replace(/\.$/, '').toLowerCase()}):`,
    ...recent.map((memory) =>
      element(
        'memory',
        { id: memory.id, category: memory.category, created: isoTime(memory.createdAt) },
        preview(memory.content, PREVIEW_CHARS_MAX),
      ),
    ),
  ]
  return lines.filter((line) => line !== false).join('\n')
}

function meaning(total: number, vectors: Stats['vectors']): string {
  if (vectors === undefined)
    return 'search by meaning: off, no embeddings endpoint is configured; search by words works'
  const missing = total - vectors.count
  const todo = missing > 0 ? `, ${missing} wait or failed: crow_regenerate_embeddings embeds them now` : ''
  return `search by meaning: ${vectors.model}, ${vectors.count} of ${total} embedded${todo}`
}
