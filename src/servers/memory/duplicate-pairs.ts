// Finds pairs of memories that resemble each other: one look-up in the search index per memory, so the work grows with their
// number and not with its square. It takes long, so it is done beside everything else: in the search worker, a piece at a time.
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { ToolContext } from '../../runtime/context.ts'
import { memoryIndex } from '../../search/memory-index.ts'
import { canMerge, type Pair } from './policy/merging.ts'
import { findMemories, type Memory } from './queries/memories.ts'

/** From here on two memories are worth showing together. */
const SIMILARITY_MIN = 0.5
const PER_MEMORY_MAX = 5
const BATCH = 20
/** Enough to keep the worker busy; somebody's search waits for no more than these. */
const AT_ONCE = 2
/** How long other work may be held up. */
const SLICE_MS = 8

export interface DuplicatePairs {
  readonly pairs: readonly Pair[]
  readonly memories: ReadonlyMap<number, Memory>
  /** Those of the pairs that may become one. */
  readonly mergeable: ReadonlySet<Pair>
}

/** @param ids the memories to look from; what they resemble may be any memory */
export async function duplicatePairs(ctx: ToolContext, ids: readonly number[]): Promise<DuplicatePairs> {
  const found = new Map<string, Pair>()
  for (let start = 0; start < ids.length; start += BATCH) {
    const batch = findMemories(ctx.db, ids.slice(start, start + BATCH))
    for (let first = 0; first < batch.length; first += AT_ONCE) {
      const looked = await Promise.all(batch.slice(first, first + AT_ONCE).map((memory) => alike(ctx, memory)))
      for (const pair of looked.flat()) found.set(`${pair.left} ${pair.right}`, pair)
      // An answer of this thread resolves without letting anything else run.
      await nextTurn(undefined, { signal: ctx.signal })
    }
    ctx.progress(Math.min(start + BATCH, ids.length), ids.length, 'looking for duplicates')
  }
  const pairs = [...found.values()].toSorted(
    (left, right) => right.similarity - left.similarity || left.left - right.left,
  )
  const memories = await load(ctx, [...new Set(pairs.flatMap((pair) => [pair.left, pair.right]))])
  return { pairs, memories, mergeable: await mergeableOf(ctx, memories, pairs) }
}

async function load(ctx: ToolContext, ids: readonly number[]): Promise<Map<number, Memory>> {
  const memories = new Map<number, Memory>()
  for (let start = 0; start < ids.length; start += BATCH) {
    for (const memory of findMemories(ctx.db, ids.slice(start, start + BATCH))) memories.set(memory.id, memory)
    await nextTurn(undefined, { signal: ctx.signal })
  }
  return memories
}

/** Comparing long texts takes a while each. */
async function mergeableOf(
  ctx: ToolContext,
  memories: ReadonlyMap<number, Memory>,
  pairs: readonly Pair[],
): Promise<Set<Pair>> {
  const mergeable = new Set<Pair>()
  let since = performance.now()
  for (const pair of pairs) {
    const [left, right] = [memories.get(pair.left), memories.get(pair.right)]
    if (left !== undefined && right !== undefined && canMerge(left, right, pair.similarity)) mergeable.add(pair)
    if (performance.now() - since < SLICE_MS) continue
    await nextTurn(undefined, { signal: ctx.signal })
    since = performance.now()
  }
  return mergeable
}

async function alike(ctx: ToolContext, memory: Memory): Promise<Pair[]> {
  const query = {
    text: memory.content,
    filters: [{ sql: 'r.category = ?', params: [memory.category] }],
    limit: PER_MEMORY_MAX,
    threshold: SIMILARITY_MIN,
    exceptId: memory.id,
  }
  const near = await ctx.ports.searcher.nearDuplicates(memoryIndex, query, 'background')
  return near.map(({ id, similarity }) => ({
    left: Math.min(id, memory.id),
    right: Math.max(id, memory.id),
    similarity,
  }))
}
