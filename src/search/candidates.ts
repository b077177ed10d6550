// Chooses the rows worth scoring: those with the rarest words first, within a budget, filters applied before the cut.

import type { Statement } from 'better-sqlite3'
import type { KnownTerm } from './lookup.ts'
import type { IndexSpec, RowFilter, Sqlite, SqlValue } from './spec.ts'
import { StatementCache } from './statements.ts'

/** Row numbers read from the full-text table per query; a term with more rows than are left is only looked up together with others. */
const POSTINGS_MAX = 3000
/** Rows that are scored exactly. */
export const SCORED_MAX = 300
/** Newest rows taken for a combination of common words. */
const COMMON_MAX = 500
/** Common words that a row is looked for together with. */
const TOGETHER_MAX = 3
/** Common words that still refine the choice. */
const REFINING_MAX = 2
/** So many rows that stand out by rarer words need no refining by common ones. */
const STANDING_OUT_MIN = 50
/** With fewer rows than fill a page, the rows beyond the budget are looked at too. */
const ENOUGH_MIN = 10
/** A filter that lets through no more rows than this is asked first, and all its rows are scored. */
const NARROW_MAX = 1500
/** Newest rows of words that are all common, looked at when a filter lets through too few of the best ones. */
const FILLING_MAX = 5000
/** Rows a filter is asked about at a time. */
const FILTERED_AT_ONCE = 750

/** User text only ever enters a full-text expression as quoted strings, so none of it can be syntax. */
function anyOf(forms: readonly string[]): string {
  const quoted = forms.map((form) => `"${form.replaceAll('"', '""')}"`)
  return quoted.length === 1 ? (quoted[0] ?? '') : `(${quoted.join(' OR ')})`
}

function allOf(terms: readonly KnownTerm[]): string {
  return terms.map((term) => anyOf(term.forms)).join(' AND ')
}

/** The conditions a row must meet, over alias `r`. */
export function conditionOf(spec: IndexSpec, filters: readonly RowFilter[]): { sql: string; params: SqlValue[] } {
  const sql = [spec.live, ...filters.map((filter) => filter.sql)].map((one) => `(${one})`).join(' AND ')
  return { sql, params: filters.flatMap((filter) => filter.params) }
}

type Worth = Map<number, number>

export interface Chosen {
  readonly ids: readonly number[]
  /** Whether these are all rows that match; else there may be more. */
  readonly complete: boolean
}

/** Finds candidate rows of one index on one connection. */
export class CandidateSource {
  readonly #spec: IndexSpec
  readonly #newest: Statement<[string, number], number>
  readonly #filtered: StatementCache<SqlValue[], number>

  constructor(sqlite: Sqlite, spec: IndexSpec) {
    this.#filtered = new StatementCache(sqlite)
    this.#spec = spec
    this.#newest = sqlite
      .prepare<[string, number], number>(
        `SELECT rowid FROM ${spec.name}_fts WHERE ${spec.name}_fts MATCH ? ORDER BY rowid DESC LIMIT ?`,
      )
      .pluck()
  }

  /** Rows for a query with at least one term that is not soft: those whose words are worth most, or all that pass a narrow filter. */
  choose(all: readonly KnownTerm[], filters: readonly RowFilter[]): Chosen {
    const few = filters.length === 0 ? undefined : this.#narrowed(filters)
    if (few !== undefined) return { ids: few, complete: true }
    const terms = all.filter((term) => !term.soft)
    const worth: Worth = new Map()
    const gatheredAll = this.#gather(terms, worth)
    if (filters.length === 0)
      return { ids: bestFirst(worth, SCORED_MAX), complete: gatheredAll && worth.size <= SCORED_MAX }
    const best = this.#passingBest(bestFirst(worth, worth.size), filters)
    return gatheredAll || best.ids.length >= SCORED_MAX
      ? { ids: best.ids, complete: gatheredAll && best.complete }
      : this.#filled(best.ids, terms, filters)
  }

  /** Newest rows that have all of these words, stop words too. */
  withWords(words: readonly string[], filters: readonly RowFilter[], limit: number): readonly number[] {
    return this.#filteredByDatabase(words.map((word) => anyOf([word])).join(' AND '), filters, limit)
  }

  /** Those of the ids that are live and pass the filters, in their order. */
  passing(ids: readonly number[], filters: readonly RowFilter[]): number[] {
    if (ids.length === 0) return []
    const { sql, params } = conditionOf(this.#spec, filters)
    const from = `json_each(?) j CROSS JOIN ${this.#spec.table} r ON r.id = j.value`
    // In the order of the table, so that its pages are read once each.
    const inOrder = JSON.stringify(ids.toSorted((a, b) => a - b))
    const passed = new Set(
      this.#filtered
        .get(`SELECT r.id FROM ${from} WHERE ${sql}`)
        .pluck()
        .all(inOrder, ...params),
    )
    return ids.filter((id) => passed.has(id))
  }

  #passingBest(order: readonly number[], filters: readonly RowFilter[]): Chosen {
    const ids: number[] = []
    let asked = 0
    for (; asked < order.length && ids.length < SCORED_MAX; asked += FILTERED_AT_ONCE) {
      ids.push(...this.passing(order.slice(asked, asked + FILTERED_AT_ONCE), filters))
    }
    return { ids: ids.slice(0, SCORED_MAX), complete: asked >= order.length && ids.length <= SCORED_MAX }
  }

  /** The filter may have let through only rows that the budget did not reach: looks at more of them. */
  #filled(best: readonly number[], terms: readonly KnownTerm[], filters: readonly RowFilter[]): Chosen {
    const anyTerm = terms.map((term) => anyOf(term.forms)).join(' OR ')
    const ids = new Set(best)
    // Rows without the rarer words would only follow those that have them; where no word is rare, every row is as good.
    if (terms.every((term) => term.df > POSTINGS_MAX)) {
      const newest = this.#newest.all(anyTerm, FILLING_MAX)
      const { ids: more, complete } = this.#passingBest(newest, filters)
      for (const id of more) ids.add(id)
      if (newest.length < FILLING_MAX || ids.size >= ENOUGH_MIN)
        return {
          ids: [...ids].slice(0, SCORED_MAX),
          complete: complete && newest.length < FILLING_MAX && ids.size <= SCORED_MAX,
        }
    }
    if (ids.size >= ENOUGH_MIN) return { ids: [...ids], complete: false }
    const all = this.#filteredByDatabase(anyTerm, filters, SCORED_MAX)
    for (const id of all) ids.add(id)
    return { ids: [...ids].slice(0, SCORED_MAX), complete: all.length < SCORED_MAX }
  }

  /** All rows that pass, when they are few. */
  #narrowed(filters: readonly RowFilter[]): number[] | undefined {
    const { sql, params } = conditionOf(this.#spec, filters)
    const statement = this.#filtered.get(`SELECT r.id FROM ${this.#spec.table} r WHERE ${sql} LIMIT ?`)
    const ids = statement.pluck().all(...params, NARROW_MAX + 1)
    return ids.length > NARROW_MAX ? undefined : ids
  }

  /** Every row of the expression that passes, newest first: the slow way, for filters that let almost nothing through. */
  #filteredByDatabase(expression: string, filters: readonly RowFilter[], limit: number): number[] {
    const { name, table } = this.#spec
    const { sql, params } = conditionOf(this.#spec, filters)
    const from = `${name}_fts f CROSS JOIN ${table} r ON r.id = f.rowid`
    const statement = this.#filtered.get(
      `SELECT r.id FROM ${from} WHERE ${name}_fts MATCH ? AND ${sql} ORDER BY f.rowid DESC LIMIT ?`,
    )
    return statement.pluck().all(expression, ...params, limit)
  }

  /** Adds up, per row, how much its words are worth; true when every term's rows were looked at. */
  #gather(terms: readonly KnownTerm[], worth: Worth): boolean {
    let budget = POSTINGS_MAX
    let at = 0
    for (let term = terms[at]; term !== undefined && term.df <= budget; term = terms[++at]) {
      const ids = this.#newest.all(anyOf(term.forms), POSTINGS_MAX)
      budget -= Math.max(ids.length, 1)
      addTo(worth, ids, term.idf)
    }
    const common = terms.slice(at)
    const last = terms[at - 1]
    if (common.length > 0 && !enoughStandOut(worth, last?.idf ?? 0)) this.#gatherCommon(last, common, worth)
    return common.length === 0
  }

  #gatherCommon(last: KnownTerm | undefined, common: readonly KnownTerm[], worth: Worth): void {
    // A few of them at once: rows with all of many common words are so rare that whole lists would be walked for them.
    const [rarest, ...others] = common.slice(0, TOGETHER_MAX)
    if (rarest === undefined) return
    const newestWith = (terms: readonly KnownTerm[]): number[] => this.#newest.all(allOf(terms), COMMON_MAX)
    if (others.length > 0) addTo(worth, newestWith([rarest, ...others]), sum(others))
    if (last === undefined) {
      for (const other of others.slice(0, REFINING_MAX)) addTo(worth, newestWith([rarest, other]), other.idf)
      addTo(worth, newestWith([rarest]), rarest.idf)
    } else {
      // Rows of the least rare term that was read whole are many and look alike so far: common words tell them apart.
      for (const term of common.slice(0, REFINING_MAX)) addTo(worth, newestWith([last, term]), term.idf)
    }
  }
}

function addTo(worth: Worth, ids: readonly number[], value: number): void {
  for (const id of ids) worth.set(id, (worth.get(id) ?? 0) + value)
}

/** Whether enough rows have more than just the least rare term that was read whole. */
function enoughStandOut(worth: ReadonlyMap<number, number>, least: number): boolean {
  let count = 0
  for (const value of worth.values()) if (value > least * 1.001) count++
  return count >= STANDING_OUT_MIN
}

function byWorth(a: readonly [number, number], b: readonly [number, number]): number {
  return b[1] - a[1] || b[0] - a[0]
}

/**
 * Ids by what their words are worth, newest first among equals. Rows with only the cheapest words are the many; they are left
 * unsorted when the rest already fills the list.
 */
function bestFirst(worth: ReadonlyMap<number, number>, count: number): number[] {
  if (worth.size > count) {
    let least = Infinity
    for (const value of worth.values()) if (value < least) least = value
    const better = [...worth].filter(([, value]) => value > least * 1.001)
    if (better.length >= count) return idsOf(better.toSorted(byWorth).slice(0, count))
  }
  return idsOf([...worth].toSorted(byWorth).slice(0, count))
}

function idsOf(entries: readonly (readonly [number, number])[]): number[] {
  return entries.map(([id]) => id)
}

function sum(terms: readonly KnownTerm[]): number {
  return terms.reduce((total, term) => total + term.idf, 0)
}
