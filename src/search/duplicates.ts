// Finds rows that say nearly the same as a text: candidates share its rarest words, and few enough are compared word by word.

import type { Statement } from 'better-sqlite3'
import { analyse } from './analyser.ts'
import { conditionOf } from './candidates.ts'
import { readPostings } from './postings.ts'
import { Lookup } from './lookup.ts'
import type { DuplicateQuery, IndexSpec, NearDuplicate, Sqlite, SqlValue } from './spec.ts'
import { StatementCache } from './statements.ts'
import { comparedWords, jaccard, shinglesOf } from './shingles.ts'

export const SIMILARITY_MIN = 0.8
const LIMIT = 3
/** The rarest words of a text by which candidates are found. */
const PROBES = 6
/** Words with more rows than this are only looked up together with the others. */
const PROBED_MAX = 400
/** Words with few rows that are looked up, and words with many that are looked up together. */
const TOGETHER_MAX = 3
/** Rows compared word by word, and how long they may be together, in characters. */
const COMPARED_MAX = 12
const CANDIDATES_MAX = 32
/** Share of a text's terms that a near-duplicate may lack beyond what its shingles lack: a changed identifier is several terms. */
const TERMS_SLACK = 0.25
const COMPARED_CHARS_MAX = 200_000

interface Body {
  readonly id: number
  readonly body: string
}

/** A text as it is looked for. */
interface Sought {
  readonly shingles: ReadonlySet<string>
  /** Its terms that the index has, rarest first, or its stop words when it has no others. */
  readonly probes: readonly Probe[]
  /** Numbers of its terms. */
  readonly terms: ReadonlySet<number>
}

/** Finds near-duplicates in one index on one connection. */
export class DuplicateFinder {
  readonly #spec: IndexSpec
  readonly #lookup: Lookup
  readonly #filtered: StatementCache<SqlValue[], Body>
  readonly #newest: Statement<[string, number], number>
  readonly #storedTerms: Statement<[string], { id: number; terms: string }>

  constructor(sqlite: Sqlite, spec: IndexSpec) {
    const { name } = spec
    this.#filtered = new StatementCache(sqlite)
    this.#spec = spec
    this.#lookup = new Lookup(sqlite, spec)
    this.#newest = sqlite
      .prepare<[string, number], number>(
        `SELECT rowid FROM ${name}_fts WHERE ${name}_fts MATCH ? ORDER BY rowid DESC LIMIT ?`,
      )
      .pluck()
    this.#storedTerms = sqlite.prepare(
      `SELECT d.id, d.terms FROM json_each(?) j CROSS JOIN ${name}_docs d ON d.id = j.value`,
    )
  }

  /** Most similar first, then the later id. */
  find(query: DuplicateQuery): NearDuplicate[] {
    const threshold = query.threshold ?? SIMILARITY_MIN
    const sought = this.#seek(query.text, threshold)
    if (sought === undefined) return []
    const likely = this.#plausible(this.#candidates(sought.probes.slice(0, PROBES)), sought.terms, threshold)
    const found: NearDuplicate[] = []
    let comparedChars = 0
    for (const { id, body } of this.#bodies(likely, query)) {
      comparedChars += body.length
      if (comparedChars > COMPARED_CHARS_MAX && found.length > 0) break
      const alike = jaccard(sought.shingles, shinglesOf(comparedWords(body)))
      if (alike >= threshold) found.push({ id, similarity: Math.round(alike * 100) / 100 })
    }
    return found.toSorted((a, b) => b.similarity - a.similarity || b.id - a.id).slice(0, query.limit ?? LIMIT)
  }

  /** Undefined when nothing in the index can be alike. */
  #seek(text: string, threshold: number): Sought | undefined {
    const shingles = shinglesOf(comparedWords(text))
    const { counts, stopWords } = analyse(text)
    if (shingles.size === 0 || counts.size + stopWords.size === 0) return undefined
    // Stop words are not counted; a text of nothing else is looked for by all of them together.
    if (counts.size === 0) {
      const probes = [...stopWords].map((term) => ({ term, df: Infinity }))
      return { shingles, probes, terms: new Set() }
    }
    const forms = this.#lookup.forms([...counts.keys()])
    if (tooNew(counts.size - forms.length, shingles.size, threshold)) return undefined
    const probes = forms.toSorted((a, b) => a.df - b.df)
    return { shingles, probes, terms: new Set(forms.map((form) => form.id)) }
  }

  /**
   * Rows that share the rarest words, those that share most first, newest first among equals: all rows of words that few rows have,
   * and rows that have the others without the very rarest, which may be what was changed.
   */
  #candidates(rarest: readonly Probe[]): number[] {
    const shared = new Map<number, number>()
    const add = (expression: string, limit: number, count: number): void => {
      for (const id of this.#newest.all(expression, limit)) shared.set(id, (shared.get(id) ?? 0) + count)
    }
    const rare = rarest.filter((probe) => probe.df <= PROBED_MAX)
    const common = rarest.slice(rare.length)
    for (const probe of rare.slice(0, TOGETHER_MAX)) add(quoted(probe.term), PROBED_MAX, 1)
    if (rare.length < 2 && common.length > 0) {
      add(allOf(common.slice(0, TOGETHER_MAX)), CANDIDATES_MAX, TOGETHER_MAX)
      if (rare.length === 0 && common.length > 1)
        add(allOf(common.slice(1, TOGETHER_MAX + 1)), CANDIDATES_MAX, TOGETHER_MAX)
    }
    const ordered = [...shared].toSorted((a, b) => b[1] - a[1] || b[0] - a[0])
    return ordered.slice(0, CANDIDATES_MAX).map(([id]) => id)
  }

  /** Those of the rows that have enough of the text's terms to be alike; reading terms is far cheaper than comparing texts. */
  #plausible(ids: readonly number[], terms: ReadonlySet<number>, threshold: number): number[] {
    const enough = terms.size * (threshold - TERMS_SLACK)
    const out = new Set<number>()
    for (const row of this.#storedTerms.all(JSON.stringify(ids))) {
      let shared = 0
      readPostings(row.terms, (term) => {
        if (terms.has(term)) shared++
      })
      if (shared >= enough) out.add(row.id)
    }
    return ids.filter((id) => out.has(id))
  }

  #bodies(ids: readonly number[], query: DuplicateQuery): Body[] {
    if (ids.length === 0) return []
    const { body, table } = this.#spec
    const { sql, params } = conditionOf(this.#spec, query.filters ?? [])
    const { length } = query.text
    const from = `json_each(?) j CROSS JOIN ${table} r ON r.id = j.value`
    return this.#filtered
      .get(
        `SELECT r.id, ${body} AS body FROM ${from}
         WHERE ${sql} AND r.id IS NOT ? AND length(${body}) BETWEEN ? AND ? ORDER BY j.key LIMIT ?`,
      )
      .all(JSON.stringify(ids), ...params, query.exceptId ?? null, Math.floor(length / 2), length * 2 + 8, COMPARED_MAX)
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
