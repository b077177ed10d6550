// Corrects a memory, or brings a deleted one back.
import { Type } from 'typebox'
import type { ToolContext } from '../../../runtime/context.ts'
import { defineTool } from '../../../runtime/tool.ts'
import { memoryMissing, nothingToChange } from '../faults.ts'
import { category, flag, id, importance, tags, text } from '../fields.ts'
import { readTags } from '../policy/tags.ts'
import { changeMemory, undeleteMemory, type MemoryChange } from '../queries/memory-writes.ts'
import { findMemory, type Memory } from '../queries/memories.ts'

export const updateMemory = defineTool({
  name: 'update_memory',
  summary: 'Correct a memory',
  description:
    'Change a memory: give at least one field; null or absent leaves a field as it is. Prefer this to storing a second version. restore: true brings back one that was deleted in the last 30 days.',
  input: Type.Object({
    id: id('From a search or a list'),
    content: text(50_000, 'Replaces the text'),
    category,
    tags: tags('Replaces all tags: comma list (quote a tag that holds a comma: "a,b") or array; [] removes them'),
    importance,
    context: text(50_000, 'Replaces the context'),
    restore: flag(false, 'Undelete it first'),
  }),
  effect: 'write',
  serializeBy: (input) => input.id,
  examples: [
    { id: 1, importance: 9 },
    { id: 1, content: 'Ana prefers short answers, in Spanish or English.', tags: [] },
  ],
  async handle(input, ctx) {
    const change = changeOf(input)
    const restore = input.restore === true
    if (Object.keys(change).length === 0 && !restore) {
      return nothingToChange(['content', 'category', 'tags', 'importance', 'context'])
    }
    const { memory, restored } = await ctx.db.write(() => apply(ctx, input.id, change, restore))
    if (memory === undefined) return memoryMissing(input.id)
    if (change.content !== undefined || restored) ctx.ports.searcher.semantic?.enqueue([memory.id])
    const notDeleted = restore && !restored
    if (notDeleted && Object.keys(change).length === 0)
      return `Nothing changed: id ${memory.id} was not deleted; it is at version ${memory.version}.`
    const done = restored ? 'Restored' : 'Updated'
    return `${done}: id ${memory.id}, now version ${memory.version}.${notDeleted ? ' It was not deleted.' : ''}`
  },
})

interface Applied {
  /** Undefined when there is none. */
  readonly memory: Memory | undefined
  /** Whether it was deleted before. */
  readonly restored: boolean
}

function apply({ clock, db }: ToolContext, memoryId: number, change: MemoryChange, restore: boolean): Applied {
  const now = clock.now()
  const undeleted = restore ? undeleteMemory(db, memoryId, now) : undefined
  const restored = undeleted !== undefined
  if (Object.keys(change).length > 0) return { memory: changeMemory(db, memoryId, change, now), restored }
  return { memory: undeleted ?? findMemory(db, memoryId), restored }
}

function changeOf(input: {
  content?: string
  category?: string
  context?: string
  importance?: number
  tags?: string | string[]
}): MemoryChange {
  const { content, category: newCategory, context, importance: newImportance } = input
  const newTags = readTags(input.tags)
  return {
    ...(content !== undefined && { content }),
    ...(newCategory !== undefined && { category: newCategory }),
    ...(context !== undefined && { context }),
    ...(newImportance !== undefined && { importance: newImportance }),
    ...(newTags !== undefined && { tags: newTags }),
  }
}
