// Finds rows that say nearly the same as a text: candidates share its rarest words, and few enough are compared word by word.

import { analyse } from './analyser.ts'
import { conditionOf } from './candidates.ts'
import { createLookup } from './lookup.ts'
import type { DuplicateQuery, IndexSpec, NearDuplicate, Sqlite, SqlValue } from './spec.ts'
import { comparedWords, jaccard, shinglesOf } from './shingles.ts'

export const SIMILARITY_MIN = 0.8
const LIMIT = 3
/** The rarest words of a text by which candidates are found. */
const PROBES = 6
/** Newest rows looked at per word. */
const PROBED_MAX = 600
/** Rows compared word by word, and how long they may be together, in characters. */
const COMPARED_MAX = 12
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

  /** Rows by how many of the rarest words they share, most first, newest first among equals. */
  function candidates(rarest: readonly string[]): number[] {
    const shared = new Map<number, number>()
    const [first = ''] = rarest
    const together = rarest.map(quoted).join(' AND ')
    for (const id of newest.all(together, COMPARED_MAX)) shared.set(id, rarest.length)
    if (shared.size >= COMPARED_MAX) return [...shared.keys()]
    for (const word of rarest) {
      for (const id of newest.all(quoted(word), PROBED_MAX)) shared.set(id, (shared.get(id) ?? 0) + (word === first ? 1.5 : 1))
    }
    // A near-duplicate differs in a few words: it shares more than half of any six.
    const enough = rarest.length / 2
    const likely = [...shared].filter(([, count]) => count >= enough)
    return likely.toSorted((a, b) => b[1] - a[1] || b[0] - a[0]).map(([id]) => id)
  }

  function bodies(ids: readonly number[], query: DuplicateQuery): Body[] {
    const { sql, params } = conditionOf(spec, query.filters ?? [])
    const length = query.text.length
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
      const probes = analysis.counts.size > 0 ? forms.map((form) => form.term) : terms
      const found: NearDuplicate[] = []
      let compared = 0
      for (const { id, body } of bodies(candidates(probes.slice(0, PROBES)), query)) {
        compared += body.length
        if (compared > COMPARED_CHARS_MAX && found.length > 0) break
        const alike = jaccard(shingles, shinglesOf(comparedWords(body)))
        if (alike >= threshold) found.push({ id, similarity: Math.round(alike * 100) / 100 })
      }
      return found.toSorted((a, b) => b.similarity - a.similarity || b.id - a.id).slice(0, query.limit ?? LIMIT)
    },
  }
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
