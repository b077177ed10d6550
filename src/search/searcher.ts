// The one way to search: in this thread while a question costs little, in a read-only worker thread when it does not.

import { createAnswers } from './answers.ts'
import type { Answers } from './answers.ts'
import { refreshIndex } from './check-index.ts'
import type { WritableDatabase } from './check-index.ts'
import { prepareTotals } from './counts.ts'
import type { Totals } from './counts.ts'
import { startOf, writeCursor } from './cursor.ts'
import { fuse } from './fusion.ts'
import type { SemanticLeg } from './semantic.ts'
import { RANKED_MAX } from './spec.ts'
import type { DuplicateQuery, IndexSpec, NearDuplicate, SearchHit, SearchPage, SearchQuery } from './spec.ts'
import { defaultWorkerUrl, WorkerAnswers } from './worker-client.ts'

const LIMIT = 10
const LIMIT_MAX = 100
/** From so many rows on a search takes long enough to be worth a thread and its memory. */
const WORKER_ROWS_MIN = 1000
/** From so many words on, however few rows they are in. */
const WORKER_WORDS_MIN = 200_000
/** A long question goes to the worker earlier: it has many words to look up, or much to compare. In characters. */
const LONG_QUERY_CHARS = 200
const LONG_TEXT_CHARS = 4000
const LONG_WORDS_MIN = 20_000
/** Rows that the semantic leg contributes. */
const NEAREST_MAX = 100

/** The part of `Database` that searching needs. */
export interface SearchableDatabase extends WritableDatabase {
  readonly path: string
}

export interface SearcherOptions {
  readonly db: SearchableDatabase
  readonly indexes: readonly IndexSpec[]
  /** `auto` (default) moves to the worker once an index is large or a question long; `inline` never does; `worker` always. */
  readonly thread?: 'auto' | 'inline' | 'worker'
  /** Entry of the worker; default: `worker.ts`, or in the bundle `search-worker.js`, beside this file. */
  readonly workerUrl?: URL
  readonly semantic?: SemanticLeg
  readonly warn?: (message: string, detail: unknown) => void
}

export interface Searcher {
  /**
   * Rows that match, best first: any word finds a row, rarer words count more, all words count extra; equal scores by importance,
   * then newest, then the later id. Sees every write that was committed before the call.
   * @throws GatewayError SEARCH_BUSY, SEARCH_FAILED, SEARCH_CLOSED, CURSOR_INVALID
   */
  search(spec: IndexSpec, query: SearchQuery): Promise<SearchPage>
  /**
   * Rows whose body says nearly the same as the text, most similar first. Errors as `search`.
   * @param from `background`: one of many such questions, which together would hold up this thread
   */
  nearDuplicates(spec: IndexSpec, query: DuplicateQuery, from?: 'background'): Promise<readonly NearDuplicate[]>
  /** The semantic leg, when one is configured. */
  readonly semantic: SemanticLeg | undefined
  /** Rebuilds in the background what an older analyser wrote; resolves when nothing is stale. Safe to call at every boot. */
  refresh(signal?: AbortSignal): Promise<void>
  close(): Promise<void>
}

/** What the semantic leg adds to a search. */
interface Meaning {
  readonly rows?: readonly SearchHit[]
  readonly notice?: string
}

/** Chooses who answers: this thread, or the worker once an index is large. */
function createThreads(options: SearcherOptions, warn: (message: string, detail: unknown) => void) {
  const { db, indexes, thread = 'auto' } = options
  const inline = createAnswers(db.sqlite, indexes, warn)
  const url = options.workerUrl ?? defaultWorkerUrl()
  const worker = thread === 'inline' ? undefined : new WorkerAnswers({ start: { path: db.path, indexes }, url, warn })
  const large = new Set<string>()
  const small = new Map<string, () => Totals>()
  return {
    background: worker ?? inline,
    of(spec: IndexSpec, isLong: boolean): Answers {
      if (worker === undefined) return inline
      if (thread === 'worker' || large.has(spec.name)) return worker
      const totals = small.get(spec.name) ?? prepareTotals(db.sqlite, spec.name)
      small.set(spec.name, totals)
      const { rows, words } = totals()
      if (rows >= WORKER_ROWS_MIN || words >= WORKER_WORDS_MIN) large.add(spec.name)
      else if (!isLong || words < LONG_WORDS_MIN) return inline
      return worker
    },
    close: async () => worker?.close(),
  }
}

export function openSearcher(options: SearcherOptions): Searcher {
  const warn = options.warn ?? ((): void => undefined)
  const { semantic } = options
  const threads = createThreads(options, warn)

  /** Rows near in meaning, or why there are none. */
  async function nearest(spec: IndexSpec, query: SearchQuery, leg: SemanticLeg): Promise<Meaning> {
    const vector = await leg.embedQuery(query.text)
    if (vector === undefined) {
      return { notice: `${leg.failure() ?? 'The embeddings service rests.'} Results are by words only.` }
    }
    const ask = { model: leg.model, vector, filters: query.filters ?? [], limit: NEAREST_MAX }
    const rows = await threads.of(spec, false).answer(spec.name, 'nearest', ask)
    return { rows: rows.map(({ id, similarity }) => ({ id, score: similarity })) }
  }

  async function search(spec: IndexSpec, query: SearchQuery): Promise<SearchPage> {
    const answers = threads.of(spec, query.text.length > LONG_QUERY_CHARS)
    const words = answers.answer(spec.name, 'rank', { text: query.text, filters: query.filters ?? [] })
    const wanted =
      semantic !== undefined && query.legs !== 'lexical' && spec.vectors !== undefined && query.text.trim() !== ''
    const nothing: Meaning = {}
    const [ranking, meaning] = await Promise.all([words, wanted ? nearest(spec, query, semantic) : nothing])
    if (meaning.rows === undefined) return page(spec, query, { ...ranking, legs: [ranking.leg] }, meaning.notice)
    const hits = fuse([ranking.hits, meaning.rows])
    const complete = ranking.complete && meaning.rows.length < NEAREST_MAX && hits.length <= RANKED_MAX
    return page(spec, query, { hits: hits.slice(0, RANKED_MAX), complete, legs: [ranking.leg, 'semantic'] }, undefined)
  }

  return {
    search,
    nearDuplicates: (spec, query, from) =>
      (from === 'background' ? threads.background : threads.of(spec, query.text.length > LONG_TEXT_CHARS)).answer(
        spec.name,
        'duplicates',
        query,
      ),
    semantic,
    async refresh(signal) {
      for (const spec of options.indexes) await refreshIndex(options.db, spec, signal)
      semantic?.catchUp()
    },
    async close() {
      await semantic?.close()
      await threads.close()
    },
  }
}

function page(
  spec: IndexSpec,
  query: SearchQuery,
  { hits, complete, legs }: Pick<SearchPage, 'hits' | 'complete' | 'legs'>,
  notice: string | undefined,
): SearchPage {
  const limit = Math.min(LIMIT_MAX, Math.max(1, Math.trunc(Number.isNaN(query.limit) ? LIMIT : (query.limit ?? LIMIT))))
  const start = startOf(spec, query, hits)
  const shown = hits.slice(start, start + limit)
  const last = shown.at(-1)
  const more = last !== undefined && start + limit < hits.length
  return {
    hits: shown,
    total: hits.length,
    complete,
    ...(more ? { next: writeCursor(spec, query, { offset: start + limit, lastId: last.id }) } : {}),
    legs,
    ...(notice === undefined ? {} : { notice }),
  }
}
