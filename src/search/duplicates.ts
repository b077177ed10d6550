// Finds rows that say nearly the same as a text: candidates share its rarest words, and few enough are compared word by word.

import { analyse } from './analyser.ts'
import { conditionOf } from './candidates.ts'
import { readPostings } from './postings.ts'
import { createLookup } from './lookup.ts'
import type { DuplicateQuery, IndexSpec, NearDuplicate, Sqlite, SqlValue } from './spec.ts'
import { comparedWords, jaccard, shinglesOf } from './shingles.ts'

export const SIMILARITY_MIN = 0.8
const LIMIT = 3
/** The rarest words of a text by which candidates are found. */
const PROBES = 6
/** Words with more rows than this are only looked up together with the others. */
const PROBED_MAX = 400
/** Rows compared word by word, and how long they may be together, in characters. */
const COMPARED_MAX = 12
const CANDIDATES_MAX = 60
/** Share of a text's terms that a near-duplicate may lack beyond what its shingles lack: a changed identifier is several terms. */
const TERMS_SLACK = 0.25
const COMPARED_CHARS_MAX = 200_000

export interface DuplicateFinder {
  find(query: DuplicateQuery): NearDuplicate[]
}

interface Body {
  readonly id: number
  readonly body: string
}

export function createDuplicateFinder(sqlite: Sqlite, spec: IndexSpec): DuplicateFinder {
  const lookup = createLookup(sqlite, spec)
  const newest = sqlite
    .prepare<[string, number], number>(
      `SELECT rowid FROM ${spec.name}_fts WHERE ${spec.name}_fts MATCH ? ORDER BY rowid DESC LIMIT ?`,
    )
    .pluck()

  const storedTerms = sqlite.prepare<[string], { id: number; terms: string }>(
    `SELECT d.id, d.terms FROM json_each(?) j CROSS JOIN ${spec.name}_docs d ON d.id = j.value`,
  )

  /**
   * Rows that share the rarest words, those that share most first, newest first among equals: all rows of words that few rows have,
   * and rows that have the others without the very rarest, which may be what was changed.
   */
  function candidates(rarest: readonly Probe[]): number[] {
    const shared = new Map<number, number>()
    const add = (ids: readonly number[], count: number): void => {
      for (const id of ids) shared.set(id, (shared.get(id) ?? 0) + count)
    }
    const rare = rarest.filter((probe) => probe.df <= PROBED_MAX)
    for (const probe of rare) add(newest.all(quoted(probe.term), PROBED_MAX), 1)
    if (rare.length < 2) {
      const common = rarest.slice(rare.length)
      if (common.length > 0) add(newest.all(allOf(common), COMPARED_MAX), common.length)
      if (rare.length === 0 && common.length > 2)
        add(newest.all(allOf(common.slice(1)), COMPARED_MAX), common.length - 1)
    }
    const ordered = [...shared].toSorted((a, b) => b[1] - a[1] || b[0] - a[0])
    return ordered.slice(0, CANDIDATES_MAX).map(([id]) => id)
  }

  /** Those of the rows that have enough of the text's terms to be alike; reading terms is far cheaper than comparing texts. */
  function plausible(ids: readonly number[], terms: ReadonlySet<number>, threshold: number): number[] {
    const enough = terms.size * (threshold - TERMS_SLACK)
    const out: number[] = []
    for (const row of storedTerms.all(JSON.stringify(ids))) {
      let shared = 0
      readPostings(row.terms, (term) => {
        if (terms.has(term)) shared++
      })
      if (shared >= enough) out.push(row.id)
    }
    return out
  }

  function bodies(ids: readonly number[], query: DuplicateQuery): Body[] {
    const { sql, params } = conditionOf(spec, query.filters ?? [])
    const length = query.text.length
    if (ids.length === 0) return []
    return sqlite
      .prepare<SqlValue[], Body>(
        `SELECT r.id, ${spec.body} AS body FROM json_each(?) j CROSS JOIN ${spec.table} r ON r.id = j.value
         WHERE ${sql} AND r.id IS NOT ? AND length(${spec.body}) BETWEEN ? AND ? ORDER BY j.key LIMIT ?`,
      )
      .all(JSON.stringify(ids), ...params, query.exceptId ?? null, Math.floor(length / 2), length * 2 + 8, COMPARED_MAX)
  }

  return {
    find(query) {
      const words = comparedWords(query.text)
      const shingles = shinglesOf(words)
      const threshold = query.threshold ?? SIMILARITY_MIN
      const analysis = analyse(query.text)
      const terms = analysis.counts.size > 0 ? [...analysis.counts.keys()] : [...analysis.stopWords]
      if (shingles.size === 0 || terms.length === 0) return []
      const forms = lookup.forms(terms).toSorted((a, b) => a.df - b.df)
      if (analysis.counts.size > 0 && tooNew(terms.length - forms.length, shingles.size, threshold)) return []
      // Stop words are not counted; a text of nothing else is looked for by all of them together.
      const probes: readonly Probe[] = analysis.counts.size > 0 ? forms : terms.map((term) => ({ term, df: Infinity }))
      const found: NearDuplicate[] = []
      let compared = 0
      const numbers = new Set(forms.map((form) => form.id))
      const likely = plausible(candidates(probes.slice(0, PROBES)), numbers, threshold)
      for (const { id, body } of bodies(likely, query)) {
        compared += body.length
        if (compared > COMPARED_CHARS_MAX && found.length > 0) break
        const alike = jaccard(shingles, shinglesOf(comparedWords(body)))
        if (alike >= threshold) found.push({ id, similarity: Math.round(alike * 100) / 100 })
      }
      return found.toSorted((a, b) => b.similarity - a.similarity || b.id - a.id).slice(0, query.limit ?? LIMIT)
    },
  }
}

interface Probe {
  readonly term: string
  readonly df: number
}

function allOf(probes: readonly Probe[]): string {
  return probes.map((probe) => quoted(probe.term)).join(' AND ')
}

function quoted(term: string): string {
  return `"${term.replaceAll('"', '""')}"`
}

/**
 * True when a text has so many terms that no row has that nothing can be alike. An unknown word spoils at least one shingle, and may
 * bring up to five unknown terms (an identifier in parts, a second stem).
 */
function tooNew(unknownTerms: number, shingles: number, threshold: number): boolean {
  const spoiled = Math.ceil(unknownTerms / 6)
  return (shingles - spoiled) / shingles < threshold
}
