// One way to search memories for every tool here: words and meaning, filters before the cut, access noted.
import { GatewayError } from '../../errors.ts'
import type { ToolContext } from '../../runtime/context.ts'
import { memoryIndex } from '../../search/memory-index.ts'
import type { NearDuplicate, RowFilter, SearchPage, SearchQuery } from '../../search/spec.ts'
import { noteAccess } from './access.ts'
import { correctable } from './faults.ts'
import { findMemories, searchFilters, type Memory, type MemoryFilter } from './queries/memories.ts'

export interface MemorySearch {
  readonly text: string
  readonly filter: MemoryFilter
  readonly limit: number
  readonly cursor?: string | undefined
  /** False: words only. */
  readonly semantic?: boolean
  /** Conditions that no parameter stands for. */
  readonly extra?: readonly RowFilter[]
}

export interface MemoryHits {
  readonly memories: readonly Memory[]
  readonly page: SearchPage
}

/**
 * Memories that match, best first, with the page they came from. Any text is a valid question.
 * @throws ToolFault VALIDATION_ERROR for a cursor of another question; GatewayError SEARCH_BUSY
 */
export async function queryMemories(ctx: ToolContext, search: MemorySearch): Promise<MemoryHits> {
  const query: SearchQuery = {
    text: search.text,
    filters: [...searchFilters(search.filter), ...(search.extra ?? [])],
    limit: search.limit,
    legs: search.semantic === false ? 'lexical' : 'hybrid',
    ...(search.cursor === undefined ? {} : { cursor: search.cursor }),
  }
  const page = await correctable(() => ctx.ports.searcher.search(memoryIndex, query))
  const ids = page.hits.map((hit) => hit.id)
  noteAccess(ctx, ids)
  return { memories: findMemories(ctx.db, ids), page }
}

/**
 * Stored memories that say nearly the same, most similar first. `undefined` when that could not be looked up: whatever is
 * wrong with the index, a memory is stored all the same, so no failure of this look leaves here.
 */
export async function findDuplicates(ctx: ToolContext, text: string): Promise<readonly NearDuplicate[] | undefined> {
  try {
    return await ctx.ports.searcher.nearDuplicates(memoryIndex, { text, limit: 4 })
  } catch (error) {
    const passing = error instanceof GatewayError && error.kind === 'unavailable'
    ctx.log[passing ? 'warn' : 'error']({ err: error }, 'near-duplicates were not looked up')
    return undefined
  }
}
