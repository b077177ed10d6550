// Answers questions about indexes on one connection: the part that worker thread and this thread have in common.

import { whenFree } from '../db/retry.ts'
import { DuplicateFinder } from './duplicates.ts'
import { createNearestFinder, loadVectorExtension } from './nearest.ts'
import type { NearestFinder } from './nearest.ts'
import type { Kind, Questions } from './protocol.ts'
import { createRanker } from './ranker.ts'
import type { IndexSpec, Sqlite, Warn } from './spec.ts'

/** How long an answer waits while SQLite recovers from the death of another process. */
const RECOVERY_MS = 4000

export interface Answers {
  answer<K extends Kind>(index: string, kind: K, ask: Questions[K]['ask']): Promise<Questions[K]['answer']>
}

/** Synchronous, so that whoever waits for a free database sees every refusal. */
type Handlers = { readonly [K in Kind]: (ask: Questions[K]['ask']) => Questions[K]['answer'] }

/** @param isLoaded whether the vector extension is there by the time something nearest is asked for */
function handlersOf(sqlite: Sqlite, spec: IndexSpec, isLoaded: () => boolean): Handlers {
  const ranker = createRanker(sqlite, spec)
  const duplicates = new DuplicateFinder(sqlite, spec)
  let nearest: NearestFinder | undefined
  return {
    rank: (ask) => ranker.rank(ask.text, ask.filters),
    duplicates: (ask) => duplicates.find(ask),
    nearest: (ask) => (nearest ??= createNearestFinder(sqlite, spec, isLoaded())).find(ask),
  }
}

/** Statements are prepared when an index is first asked about. */
export function createAnswers(sqlite: Sqlite, indexes: readonly IndexSpec[], warn: Warn): Answers {
  const handlers = new Map<string, Handlers>()
  let loading: Promise<boolean> | undefined
  let loaded = false
  const load = (): Promise<boolean> =>
    loadVectorExtension(sqlite, warn).catch((error: unknown) => {
      loading = undefined
      throw error
    })
  return {
    async answer(index, kind, ask) {
      const spec = indexes.find((one) => one.name === index)
      if (spec === undefined) throw new Error(`no index is named ${index}`)
      // Only who asks by meaning pays for loading the extension.
      if (kind === 'nearest') loaded = await (loading ??= load())
      return whenFree(() => {
        const known = handlers.get(index) ?? handlersOf(sqlite, spec, () => loaded)
        handlers.set(index, known)
        return known[kind](ask)
      }, RECOVERY_MS)
    },
  }
}
