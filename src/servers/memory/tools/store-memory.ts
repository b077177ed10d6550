// Stores one fact. Near-duplicates are named, never refused: which of two to keep is the model's or the person's to decide.
import { Type } from 'typebox'
import { defineTool } from '../../../runtime/tool.ts'
import { category, importance, name, projectOf, requiredText, tags, text } from '../fields.ts'
import { readTags } from '../policy/tags.ts'
import { findMemories } from '../queries/memories.ts'
import { insertMemory, type NewMemory } from '../queries/memory-writes.ts'
import { renderStored } from '../render/stored.ts'
import { findDuplicates } from '../searching.ts'

export const storeMemory = defineTool({
  name: 'store_memory',
  summary: 'Store a memory',
  description:
    'Remember one fact for every AI client of this person. Write it so that it is clear without this conversation. The reply names near-duplicates: then update one and delete the other.',
  input: Type.Object({
    content: requiredText(50_000, 'The fact, in whole sentences'),
    category,
    context: text(50_000, 'Where it comes from: the occasion, the date'),
    tags: tags('Comma list (quote a tag that holds a comma: "a,b") or array of exact tags'),
    source: text(500, 'Who or what said so'),
    importance,
    instance_id: name(100, 'Instance it belongs to'),
    project_id: projectOf('Project it belongs to'),
  }),
  effect: 'write',
  serializeBy: null,
  examples: [
    { content: 'Ana prefers short answers in Spanish.', category: 'preference', importance: 8, tags: 'ana, style' },
    { content: 'The deploy key is rotated on the first Monday of each month.', tags: ['ops', 'a,b'] },
  ],
  async handle(input, ctx) {
    const memory: NewMemory = {
      uid: ctx.ids.uid(),
      content: input.content,
      category: input.category ?? 'general',
      context: input.context ?? null,
      source: input.source ?? null,
      importance: input.importance ?? 5,
      projectId: input.project_id ?? null,
      instanceId: input.instance_id ?? null,
      tags: readTags(input.tags) ?? [],
    }
    const now = ctx.clock.now()
    const [duplicates, id] = await Promise.all([
      findDuplicates(ctx, memory.content),
      ctx.db.write(() => insertMemory(ctx.db, memory, now)),
    ])
    ctx.ports.searcher.semantic?.enqueue([id])
    if (duplicates === undefined) return `${renderStored({ id, ...memory })} Near-duplicates could not be looked up.`
    const similar = new Map(duplicates.map((duplicate) => [duplicate.id, duplicate.similarity]))
    similar.delete(id)
    return renderStored({ id, ...memory }, findMemories(ctx.db, [...similar.keys()]), similar)
  },
})
