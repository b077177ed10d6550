// Counts what is stored and how much of it can be found by meaning.
import { defineTool } from '../../../runtime/tool.ts'
import { countByCategory, countByImportance, countDeleted, countVectors, memoryPage } from '../queries/memories.ts'
import { renderStats } from '../render/stats.ts'

const RECENT_MAX = 5

export const memoryStats = defineTool({
  name: 'memory_stats',
  summary: 'Count memories',
  description: 'Counts by category and importance, the newest memories, and whether search by meaning is configured.',
  effect: 'read',
  examples: [{}],
  handle(_input, { db, ports }) {
    const model = ports.searcher.semantic?.model
    return renderStats({
      categories: countByCategory(db),
      importances: countByImportance(db),
      recent: memoryPage(db, { filter: {}, order: 'recent', limit: RECENT_MAX, after: undefined }).rows,
      deleted: countDeleted(db),
      vectors: model === undefined ? undefined : { model, count: countVectors(db, model) },
    })
  },
})
