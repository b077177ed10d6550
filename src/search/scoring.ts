// Scores rows for a query: BM25 over weighted fields, then what neighbours in one conversation lend each other. Pure.

import { readPostings } from './postings.ts'
import { ALIKE_WEIGHT } from './widening.ts'
import type { WideTerm } from './widening.ts'

/** Okapi BM25 (Robertson & Zaragoza 2009). Memories are short and of similar length: little saturation, little length correction. */
const K1 = 0.9
const B = 0.4
/** A row with all the words of a query gains this share of its score, one with half of them a quarter of it. */
const ALL_WORDS_BOOST = 0.15
/**
 * A row borrows this share of what a better row of its group has more than it: from the row before it, the row after it, and the
 * second before and after. An answer often stands next to the words that were asked for.
 */
const LENT = { before: [0.5, 0.2], after: [0.35, 0.2] } as const
/** How far apart in ids the rows of one conversation may stand when others were stored in between. */
export const NEIGHBOUR_IDS = 2
/** Rows that are considered for borrowing. */
export const BORROWERS_MAX = 40
/** A row with a better one of its group close by gives up this share, so that one conversation does not fill the page. */
const CROWDING = 0.3
const CROWDING_IDS = 64

/** What the index keeps of a row. */
export interface StoredRow {
  readonly id: number
  readonly grp: number
  readonly length: number
  readonly importance: number
  readonly at: number
  readonly terms: string
}

export interface ScoredRow {
  readonly id: number
  readonly group: number
  readonly importance: number
  readonly at: number
  /** What each word of the query adds, in the order of the terms; 0 where the row has not got it. */
  readonly parts: Float64Array
  score: number
}

export interface Scorer {
  score(row: StoredRow): ScoredRow
}

/** A scorer for one query. Rows without any of its words score 0. */
export function createScorer(terms: readonly WideTerm[], meanLength: number): Scorer {
  const places = new Map<number, number>()
  terms.forEach((term, place) => term.alike.forEach((number) => places.set(number, place)))
  const alike = new Set(places.keys())
  terms.forEach((term, place) => term.numbers.forEach((number) => places.set(number, place) && alike.delete(number)))
  const total = terms.reduce((sum, term) => sum + term.idf, 0)
  const counts = new Float64Array(terms.length)
  return {
    score(row) {
      counts.fill(0)
      readPostings(row.terms, (term, count) => {
        const place = places.get(term)
        if (place === undefined) return
        const worth = alike.has(term) ? count * ALIKE_WEIGHT : count
        if (worth > (counts[place] ?? 0)) counts[place] = worth
      })
      const norm = K1 * (1 - B + (B * row.length) / meanLength)
      const parts = new Float64Array(terms.length)
      let score = 0
      let covered = 0
      terms.forEach((term, place) => {
        const count = counts[place] ?? 0
        if (count === 0) return
        const part = (term.idf * count * (K1 + 1)) / (count + norm)
        parts[place] = part
        score += part
        covered += term.idf
      })
      const coverage = total === 0 ? 0 : covered / total
      score *= 1 + ALL_WORDS_BOOST * coverage * coverage
      return { id: row.id, group: row.grp, importance: row.importance, at: row.at, parts, score }
    },
  }
}

/** Best first; equal scores by importance, then newest, then the later id. Scores are compared to six digits. */
export function compareRows(a: ScoredRow, b: ScoredRow): number {
  return rounded(b.score) - rounded(a.score) || b.importance - a.importance || b.at - a.at || b.id - a.id
}

function rounded(score: number): number {
  return Math.round(score * 1e6)
}

/**
 * Lends score between rows of one group that stand side by side.
 * @param rows all scored rows; borrowers among them are changed
 * @param borrowers ids that may borrow
 */
export function lendToNeighbours(rows: ReadonlyMap<number, ScoredRow>, borrowers: Iterable<number>): void {
  const before = new Map<number, number>()
  for (const row of rows.values()) before.set(row.id, row.score)
  for (const id of borrowers) {
    const row = rows.get(id)
    if (row === undefined || row.group === 0) continue
    const own = before.get(id) ?? 0
    row.score += borrowed(rows, before, row, own, -1) + borrowed(rows, before, row, own, 1)
  }
}

function borrowed(
  rows: ReadonlyMap<number, ScoredRow>,
  before: ReadonlyMap<number, number>,
  row: ScoredRow,
  own: number,
  direction: -1 | 1,
): number {
  const shares = direction === -1 ? LENT.before : LENT.after
  let gained = 0
  let met = 0
  for (let step = 1; step <= NEIGHBOUR_IDS && met < shares.length; step++) {
    const neighbour = rows.get(row.id + direction * step)
    if (neighbour === undefined || neighbour.group !== row.group) continue
    gained += (shares[met] ?? 0) * Math.max(0, (before.get(neighbour.id) ?? 0) - own)
    met++
  }
  return gained
}

/** Final order: rows of one group that stand close together make room for others. */
export function spreadOut(rows: readonly ScoredRow[]): ScoredRow[] {
  const ordered = rows.toSorted(compareRows)
  const better = new Map<number, number[]>()
  for (const row of ordered) {
    if (row.group === 0) continue
    const ids = better.get(row.group) ?? []
    better.set(row.group, ids)
    if (ids.some((id) => Math.abs(id - row.id) <= CROWDING_IDS)) row.score *= 1 - CROWDING
    ids.push(row.id)
  }
  return ordered.toSorted(compareRows)
}
