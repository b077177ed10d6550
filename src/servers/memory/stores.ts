// The stores that a search across rooms knows by name. Which of them exist here is decided by the servers that are mounted.
import type { Searchable } from '../../runtime/context.ts'

export const STORES = ['memories', 'research_sources', 'research_notes', 'blog_posts'] as const

/** The stores among `wanted` that no mounted server offers. */
export function absentStores(searchables: readonly Searchable[], wanted: readonly string[] = STORES): string[] {
  const present = new Set(searchables.map((searchable) => searchable.id))
  return wanted.filter((store) => !present.has(store))
}
