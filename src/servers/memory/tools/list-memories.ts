// Lists memories without a question: by age, importance or last use.
import { Type } from 'typebox'
import { defineTool } from '../../../runtime/tool.ts'
import { category, cursor, importanceMin, instanceId, limit, projectId, tag } from '../fields.ts'
import { listKey, readCursor, writeCursor } from '../policy/cursor.ts'
import { filterOf, memoryPage, type MemoryOrder } from '../queries/memories.ts'
import { DATA_NOTE } from '../render/fence.ts'
import { renderMemory, rowChars } from '../render/memories.ts'
import { renderPage } from '../render/page.ts'

/** Sort values in a cursor, by order. */
const POSITION_LENGTH: Readonly<Record<MemoryOrder, number>> = { recent: 2, importance: 3, accessed: 2 }

const ORDER_NAMES: Readonly<Record<MemoryOrder, string>> = {
  recent: 'Memories, newest first',
  importance: 'Memories, most important first',
  accessed: 'Memories, last used first',
}

export const listMemories = defineTool({
  name: 'list_memories',
  summary: 'List memories',
  description:
    'List memories by age, importance or last use, filtered exactly. Use crow_search_memories when you know what to look for. Repeat the filters together with cursor for the next page.',
  input: Type.Object({
    category,
    tag,
    min_importance: importanceMin,
    sort_by: Type.Optional(
      Type.Union([Type.Literal('recent'), Type.Literal('importance'), Type.Literal('accessed')], { default: 'recent' }),
    ),
    limit: limit(100, 20),
    cursor,
    instance_id: instanceId,
    project_id: projectId,
  }),
  effect: 'read',
  examples: [{}, { category: 'preference', sort_by: 'importance', limit: 5 }, { tag: 'a,b' }],
  handle(input, ctx) {
    const order = input.sort_by ?? 'recent'
    const filter = filterOf(input)
    const key = listKey('memories', { ...filter, order })
    const after = readCursor(key, input.cursor, POSITION_LENGTH[order])
    const { rows, next } = memoryPage(ctx.db, { filter, order, limit: input.limit ?? 20, after })
    if (rows.length === 0) return after === undefined ? 'No memory matches.' : 'No more memories.'
    const head = `${ORDER_NAMES[order]}${next === undefined ? '' : ', more follow'}. ${DATA_NOTE}`
    const charsMax = rowChars(rows.length)
    return renderPage(
      head,
      rows.map((memory) => renderMemory(memory, '', charsMax)),
      next && writeCursor(key, next),
    )
  },
})
