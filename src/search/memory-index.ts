// What of a memory can be searched, and how much each part of it weighs.

import type { IndexSpec } from './spec.ts'

export const memoryIndex: IndexSpec = {
  name: 'memory',
  table: 'memories',
  live: 'r.deleted_at IS NULL',
  group: 'context',
  fields: [
    { name: 'content', weight: 1 },
    { name: 'context', weight: 1.5 },
    { name: 'tags', weight: 1 },
    { name: 'source', weight: 0.5 },
    { name: 'category', weight: 0.5 },
  ],
  columns: {
    content: 'r.content',
    context: 'r.context',
    tags: `(SELECT group_concat(t.tag, ' ') FROM (SELECT tag FROM memory_tags WHERE memory_id = r.id ORDER BY tag) t)`,
    source: 'r.source',
    category: 'r.category',
    importance: 'r.importance',
    at: 'r.created_at',
  },
  body: 'r.content',
  vectors: { table: 'memory_embeddings', key: 'memory_id' },
}
