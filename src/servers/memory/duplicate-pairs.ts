// Finds pairs of memories that resemble each other: one look-up in the search index per memory, so the work grows with their
// number and not with its square.
import type { ToolContext } from '../../runtime/context.ts'
import { memoryIndex } from '../../search/memory-index.ts'
import type { Pair } from './policy/merging.ts'
import { findMemories, type Memory } from './queries/memories.ts'

/** From here on two memories are worth showing together. */
const SIMILARITY_MIN = 0.5
const PER_MEMORY_MAX = 5
const BATCH = 100
const AT_ONCE = 8

export interface DuplicatePairs {
  readonly pairs: readonly Pair[]
  readonly memories: ReadonlyMap<number, Memory>
}

/** @param ids the memories to look from; what they resemble may be any memory */
export async function duplicatePairs(ctx: ToolContext, ids: readonly number[]): Promise<DuplicatePairs> {
  const found = new Map<string, Pair>()
  const memories = new Map<number, Memory>()
  for (let start = 0; start < ids.length; start += BATCH) {
    const batch = findMemories(ctx.db, ids.slice(start, start + BATCH))
    for (let first = 0; first < batch.length; first += AT_ONCE) {
      ctx.signal.throwIfAborted()
      const looked = await Promise.all(batch.slice(first, first + AT_ONCE).map((memory) => alike(ctx, memory)))
      for (const pair of looked.flat()) found.set(`${pair.left} ${pair.right}`, pair)
    }
    ctx.progress(Math.min(start + BATCH, ids.length), ids.length, 'looking for duplicates')
  }
  const pairs = [...found.values()].toSorted(
    (left, right) => right.similarity - left.similarity || left.left - right.left,
  )
  const involved = [...new Set(pairs.flatMap((pair) => [pair.left, pair.right]))]
  for (const memory of findMemories(ctx.db, involved)) memories.set(memory.id, memory)
  return { pairs, memories }
}

async function alike(ctx: ToolContext, memory: Memory): Promise<Pair[]> {
  const near = await ctx.ports.searcher.nearDuplicates(memoryIndex, {
    text: memory.content,
    filters: [{ sql: 'r.category = ?', params: [memory.category] }],
    limit: PER_MEMORY_MAX,
    threshold: SIMILARITY_MIN,
    exceptId: memory.id,
  })
  return near.map(({ id, similarity }) => ({
    left: Math.min(id, memory.id),
    right: Math.max(id, memory.id),
    similarity,
  }))
}
