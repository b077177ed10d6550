// Deletes one memory after a confirmation. Its row is kept out of sight for 30 days and then erased.
import { Type } from 'typebox'
import { defineTool } from '../../../runtime/tool.ts'
import { changedSincePreview, memoryMissing } from '../faults.ts'
import { id } from '../fields.ts'
import { hideMemory } from '../queries/memory-writes.ts'
import { findMemory } from '../queries/memories.ts'
import { renderDeletion } from '../render/memories.ts'

export const deleteMemory = defineTool({
  name: 'delete_memory',
  summary: 'Delete a memory',
  description:
    'Delete one memory. To correct it, use crow_update_memory instead. It is found by nothing from then on and erased after 30 days.',
  input: Type.Object({ id: id('From a search or a list') }),
  effect: 'destroy',
  serializeBy: (input) => input.id,
  examples: [{ id: 1 }],
  preview(input, ctx) {
    const memory = findMemory(ctx.db, input.id)
    if (memory === undefined) throw memoryMissing(input.id)
    return { text: renderDeletion(memory), version: memory.version }
  },
  async handle(input, ctx) {
    const { confirmedVersion: shown } = ctx
    const refused = await ctx.db.write(() => {
      const memory = findMemory(ctx.db, input.id)
      if (memory === undefined) return memoryMissing(input.id)
      if (shown !== undefined && memory.version !== shown) return changedSincePreview()
      hideMemory(ctx.db, input.id, ctx.clock.now())
      return undefined
    })
    if (refused !== undefined) return refused
    return `Deleted: id ${input.id}. Until it is erased in 30 days, crow_update_memory with restore: true brings it back.`
  },
})
