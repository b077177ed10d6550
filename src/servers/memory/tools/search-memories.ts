// Searches memories by words and, where embeddings are configured, by meaning.
import { Type } from 'typebox'
import { defineTool } from '../../../runtime/tool.ts'
import { category, cursor, flag, importanceMin, instanceId, limit, projectId, question, tag } from '../fields.ts'
import { filterOf } from '../queries/memories.ts'
import { renderHits } from '../render/hits.ts'
import { queryMemories } from '../searching.ts'

export const searchMemories = defineTool({
  name: 'search_memories',
  summary: 'Search memories',
  description:
    'Find memories by words, best first; any text is a valid query. Filters apply before the cut. Long content is shown around the hit: read it whole with crow_get_memory.',
  input: Type.Object({
    query: question(500, 'Words to look for, a question or a name'),
    category,
    tag,
    min_importance: importanceMin,
    limit: limit(100, 10),
    cursor,
    semantic: flag(true, 'Also by meaning, where embeddings are configured'),
    instance_id: instanceId,
    project_id: projectId,
  }),
  effect: 'read',
  examples: [
    { query: 'what does Ana prefer' },
    { query: 'deploy key', category: 'process', min_importance: 5, limit: 5 },
  ],
  async handle(input, ctx) {
    const hits = await queryMemories(ctx, {
      text: input.query,
      filter: filterOf(input),
      limit: input.limit ?? 10,
      cursor: input.cursor,
      semantic: input.semantic ?? true,
    })
    return renderHits(hits, input.query)
  },
})
