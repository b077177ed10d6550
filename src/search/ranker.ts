// Ranks the rows of one index for a query on one database connection; used by the worker, and in this thread for small indexes.

import { CandidateSource } from './candidates.ts'
import { Lookup } from './lookup.ts'
import { stressNames } from './names.ts'
import { BORROWERS_MAX, compareRows, createScorer, lendToNeighbours, NEIGHBOUR_IDS, spreadOut } from './scoring.ts'
import type { ScoredRow, Scorer, StoredRow } from './scoring.ts'
import { RANKED_MAX } from './spec.ts'
import type { IndexSpec, RowFilter, SearchHit, Sqlite } from './spec.ts'
import { liftBySurroundings } from './surroundings.ts'
import { widen } from './widening.ts'
import type { WideQuery } from './widening.ts'

export interface Ranking {
  /** Best first, at most RANKED_MAX. */
  readonly hits: readonly SearchHit[]
  /** Whether these are all rows that match; else there may be more. */
  readonly complete: boolean
  readonly leg: 'words' | 'substring'
}

type Found = Omit<Ranking, 'leg'>
const nothing: Found = { hits: [], complete: true }

export interface Ranker {
  rank(text: string, filters: readonly RowFilter[]): Ranking
}

export function createRanker(sqlite: Sqlite, spec: IndexSpec): Ranker {
  const lookup = new Lookup(sqlite, spec)
  const candidates = new CandidateSource(sqlite, spec)
  const stored = sqlite.prepare<[string], StoredRow>(
    `SELECT d.id, d.grp, d.length, d.importance, d.at, d.terms FROM json_each(?) j CROSS JOIN ${spec.name}_docs d ON d.id = j.value`,
  )
  const storedInGroups = sqlite.prepare<[string, string], StoredRow>(
    `SELECT d.id, d.grp, d.length, d.importance, d.at, d.terms FROM json_each(?) j CROSS JOIN ${spec.name}_docs d ON d.id = j.value
     WHERE d.grp IN (SELECT value FROM json_each(?))`,
  )
  const saying = sqlite
    .prepare<[string, string], number>(
      `SELECT r.id FROM json_each(?) j CROSS JOIN ${spec.table} r ON r.id = j.value WHERE instr(lower(${spec.body}), ?) > 0`,
    )
    .pluck()

  function scoreAll(ids: readonly number[], scorer: Scorer): Map<number, ScoredRow> {
    const rows = new Map<number, ScoredRow>()
    for (const row of stored.all(JSON.stringify(ids))) rows.set(row.id, scorer.score(row))
    return rows
  }

  /** Rows beside the best ones may answer without having a single word of the question: they are scored too. */
  function addNeighbours(rows: Map<number, ScoredRow>, filters: readonly RowFilter[], scorer: Scorer): Set<number> {
    const best = [...rows.values()].toSorted(compareRows).slice(0, BORROWERS_MAX)
    const beside = new Set<number>()
    for (const row of best) {
      if (row.group === 0) continue
      for (let step = 1; step <= NEIGHBOUR_IDS; step++) beside.add(row.id - step).add(row.id + step)
    }
    const groups = new Set(best.map((row) => row.group).filter((group) => group !== 0))
    const fresh = new Map<number, ScoredRow>()
    const missing = JSON.stringify([...beside].filter((id) => !rows.has(id)))
    for (const row of storedInGroups.iterate(missing, JSON.stringify([...groups]))) fresh.set(row.id, scorer.score(row))
    const wanted = [...fresh.keys()]
    for (const id of filters.length === 0 ? wanted : candidates.passing(wanted, filters)) {
      const row = fresh.get(id)
      if (row !== undefined) rows.set(id, row)
    }
    return new Set([...best.map((row) => row.id), ...beside])
  }

  function rankTerms(text: string, query: WideQuery, filters: readonly RowFilter[]): Found {
    const terms = stressNames(query.terms, text)
    const scorer = createScorer(terms, query.meanLength)
    const { ids, complete } = candidates.choose(terms, filters)
    const rows = scoreAll(ids, scorer)
    if (spec.group !== undefined) {
      lendToNeighbours(rows, addNeighbours(rows, filters, scorer))
      liftBySurroundings(rows.values())
    }
    return found(rows.values(), complete)
  }

  /** Nothing but stop words ("to be or not to be"): rows that have them all, those that say just that first, then the newest. */
  function rankStopWords(words: readonly string[], filters: readonly RowFilter[]): Found {
    const ids = candidates.withWords([...new Set(words)], filters, RANKED_MAX)
    const exact = new Set(saying.all(JSON.stringify(ids), words.join(' ')))
    return saidFirst(ids, exact)
  }

  return {
    rank(text, filters) {
      const query = widen(lookup.known(text), text, lookup)
      if (query.terms.length > 0)
        return { ...rankTerms(text, query, filters), leg: query.fragments ? 'substring' : 'words' }
      return { ...(query.stopWords.length > 0 ? rankStopWords(query.stopWords, filters) : nothing), leg: 'words' }
    },
  }
}

function found(rows: Iterable<ScoredRow>, complete: boolean): Found {
  const scored = [...rows].filter((row) => row.score > 0)
  const hits = spreadOut(scored)
    .slice(0, RANKED_MAX)
    .map(({ id, score }) => ({ id, score: Number(score.toFixed(6)) }))
  return { hits, complete: complete && scored.length <= RANKED_MAX }
}

/** Rows that say exactly what was asked, then the newest. */
function saidFirst(ids: readonly number[], exact: ReadonlySet<number>): Found {
  const hits = ids.map((id) => ({ id, score: exact.has(id) ? 2 : 1 }))
  return { hits: hits.toSorted((a, b) => b.score - a.score || b.id - a.id), complete: ids.length < RANKED_MAX }
}
