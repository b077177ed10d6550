// Reads one memory whole.
import { Type } from 'typebox'
import { defineTool } from '../../../runtime/tool.ts'
import { noteAccess } from '../access.ts'
import { memoryMissing } from '../faults.ts'
import { id } from '../fields.ts'
import { findMemory } from '../queries/memories.ts'
import { memoryFacts } from '../render/memories.ts'

export const getMemory = defineTool({
  name: 'get_memory',
  summary: 'Read one memory',
  description: 'Read one memory whole, as JSON: content, tags, times (UTC), access count, version.',
  input: Type.Object({ id: id('From a search or a list') }),
  effect: 'read',
  examples: [{ id: 1 }],
  handle(input, ctx) {
    const memory = findMemory(ctx.db, input.id)
    if (memory === undefined) return memoryMissing(input.id)
    noteAccess(ctx, [memory.id])
    return memoryFacts(memory)
  },
})
