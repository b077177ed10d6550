// Asks every store that is mounted. A store that fails, or was asked for and does not exist here, is named; the others still answer.
import { Type } from 'typebox'
import type { Searchable, SearchRequest, ToolContext } from '../../../runtime/context.ts'
import { defineTool } from '../../../runtime/tool.ts'
import { importanceMin, limit, projectId, question, requiredName } from '../fields.ts'
import { renderRecall, type StoreAnswer } from '../render/recall.ts'

const STORE_CHARS_MAX = 50
const STORES_MAX = 20

export const deepRecall = defineTool({
  name: 'deep_recall',
  summary: 'Search every store',
  description:
    'Look for a topic in everything that this gateway can search, memories among it; the reply names what was searched. For memories only, use crow_search_memories.',
  input: Type.Object({
    topic: question(500, 'Words to look for'),
    per_source_limit: limit(20, 5),
    include_sources: Type.Optional(
      Type.Array(requiredName(STORE_CHARS_MAX, 'As replies name it'), {
        minItems: 1,
        maxItems: STORES_MAX,
        description: 'Only these stores, like memories',
      }),
    ),
    project_id: projectId,
    min_importance: importanceMin,
  }),
  effect: 'read',
  examples: [{ topic: 'deploy key' }, { topic: 'Ana', include_sources: ['memories'], per_source_limit: 3 }],
  async handle(input, ctx) {
    const wanted = input.include_sources
    const stores = ctx.ports.searchables.filter((store) => wanted === undefined || wanted.some((id) => id === store.id))
    const request: SearchRequest = {
      text: input.topic,
      limit: input.per_source_limit ?? 5,
      ...(input.project_id !== undefined && { projectId: input.project_id }),
      ...(input.min_importance !== undefined && { importanceMin: input.min_importance }),
    }
    const answers = await Promise.all(stores.map((store) => ask(store, request, ctx)))
    const absent = (wanted ?? []).filter((id) => !stores.some((store) => store.id === id))
    return renderRecall(input.topic, answers, absent)
  },
})

async function ask(store: Searchable, request: SearchRequest, ctx: ToolContext): Promise<StoreAnswer> {
  try {
    return { store: store.id, hits: await store.search(request, ctx) }
  } catch (error) {
    ctx.log.warn({ err: error, store: store.id }, 'a store did not answer')
    return { store: store.id, failed: true }
  }
}
