// The one way to search: in this thread while an index is small, in a read-only worker thread when it is not.

import type { DuplicateQuery, IndexSpec, NearDuplicate, SearchPage, SearchQuery } from './spec.ts'
import type { SemanticLeg } from './semantic.ts'

/** The part of `Database` that searching needs. */
export interface SearchableDatabase {
  readonly path: string
  readonly sqlite: import('./spec.ts').Sqlite
  write<T>(work: (tx: never) => T): Promise<T>
}

export interface SearcherOptions {
  readonly db: SearchableDatabase
  readonly indexes: readonly IndexSpec[]
  /** `auto` (default) moves to the worker once an index holds 1,000 rows; `inline` never does; `worker` always. */
  readonly thread?: 'auto' | 'inline' | 'worker'
  /** Entry of the worker; default: `worker.ts` or `search-worker.js` beside this file. */
  readonly workerUrl?: URL
  readonly semantic?: SemanticLeg
  readonly warn?: (message: string, detail: unknown) => void
}

export interface Searcher {
  /** Rows that match, best first. Sees every write that was committed before the call. Throws GatewayError SEARCH_BUSY, CURSOR_INVALID. */
  search(spec: IndexSpec, query: SearchQuery): Promise<SearchPage>
  /** Rows whose body says nearly the same as the text, most similar first. */
  nearDuplicates(spec: IndexSpec, query: DuplicateQuery): Promise<readonly NearDuplicate[]>
  /** The semantic leg, when one is configured. */
  readonly semantic: SemanticLeg | undefined
  /** Rebuilds in the background what an older analyser wrote; resolves when nothing is stale. Safe to call at every boot. */
  refresh(signal?: AbortSignal): Promise<void>
  close(): Promise<void>
}

export function openSearcher(options: SearcherOptions): Searcher {
  throw new Error(`not yet: ${options.db.path}`)
}
