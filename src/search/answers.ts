// Answers questions about indexes on one connection: the part that worker thread and this thread have in common.

import { whenFree } from '../db/retry.ts'
import { DuplicateFinder } from './duplicates.ts'
import { createNearestFinder, loadVectorExtension } from './nearest.ts'
import type { Kind, Questions } from './protocol.ts'
import { createRanker } from './ranker.ts'
import type { IndexSpec, Sqlite } from './spec.ts'

/** How long an answer waits while SQLite recovers from the death of another process. */
const RECOVERY_MS = 4000

export interface Answers {
  answer<K extends Kind>(index: string, kind: K, ask: Questions[K]['ask']): Promise<Questions[K]['answer']>
}

type Handlers = {
  readonly [K in Kind]: (ask: Questions[K]['ask']) => Questions[K]['answer'] | Promise<Questions[K]['answer']>
}

function handlersOf(sqlite: Sqlite, spec: IndexSpec): Handlers {
  const ranker = createRanker(sqlite, spec)
  const duplicates = new DuplicateFinder(sqlite, spec)
  // Only who asks by meaning pays for loading the extension.
  let nearest: Promise<ReturnType<typeof createNearestFinder>> | undefined
  return {
    rank: (ask) => ranker.rank(ask.text, ask.filters),
    duplicates: (ask) => duplicates.find(ask),
    nearest: async (ask) => {
      nearest ??= loadVectorExtension(sqlite).then((loaded) => createNearestFinder(sqlite, spec, loaded))
      return (await nearest).find(ask)
    },
  }
}

/** Statements are prepared when an index is first asked about. */
export function createAnswers(sqlite: Sqlite, indexes: readonly IndexSpec[]): Answers {
  const handlers = new Map<string, Handlers>()
  return {
    async answer(index, kind, ask) {
      const spec = indexes.find((one) => one.name === index)
      if (spec === undefined) throw new Error(`no index is named ${index}`)
      return whenFree(() => {
        const known = handlers.get(index) ?? handlersOf(sqlite, spec)
        handlers.set(index, known)
        return known[kind](ask)
      }, RECOVERY_MS)
    },
  }
}
