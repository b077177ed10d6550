// Chooses the rows worth scoring: those with the rarest words first, within a budget, filters applied before the cut.

import type { Statement } from 'better-sqlite3'
import type { KnownTerm } from './lookup.ts'
import type { IndexSpec, RowFilter, Sqlite, SqlValue } from './spec.ts'

/** Row numbers read from the full-text table per query; a term with more rows than are left is only looked up together with others. */
const POSTINGS_MAX = 5000
/** Rows that are scored exactly. */
export const SCORED_MAX = 300
/** Newest rows taken for a combination of common words. */
const COMMON_MAX = 500
/** Common words that still refine the choice. */
const REFINING_MAX = 2
/** So many rows that stand out by rarer words need no refining by common ones. */
const STANDING_OUT_MIN = 50
/** With fewer rows than fill a page, the rows beyond the budget are looked at too. */
const ENOUGH_MIN = 10
/** A filter that lets through no more rows than this is asked first, and all its rows are scored. */
const NARROW_MAX = 1500
/** Rows a filter is asked about at a time. */
const FILTERED_AT_ONCE = 1000

export interface Candidates {
  /** Filtered; the rows worth most, or all that pass a narrow filter. */
  readonly ids: readonly number[]
  /** False when some term's rows were not all looked at. */
  readonly complete: boolean
}

export interface CandidateSource {
  /** Rows for a query with at least one term that is not soft. */
  choose(terms: readonly KnownTerm[], filters: readonly RowFilter[]): Candidates
  /** Newest rows that have all of these words, stop words too. */
  withWords(words: readonly string[], filters: readonly RowFilter[], limit: number): number[]
  /** Those of the ids that are live and pass the filters, in their order. */
  passing(ids: readonly number[], filters: readonly RowFilter[]): number[]
}

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

export function createCandidateSource(sqlite: Sqlite, spec: IndexSpec): CandidateSource {
  const { name, table } = spec
  const newest = sqlite
    .prepare<[string, number], number>(
      `SELECT rowid FROM ${name}_fts WHERE ${name}_fts MATCH ? ORDER BY rowid DESC LIMIT ?`,
    )
    .pluck()
  const statements = new Map<string, Statement<SqlValue[], number>>()

  /** Statements with a room's filters are few in kind; they are kept, and forgotten together when a caller invents too many. */
  function prepared(sql: string): Statement<SqlValue[], number> {
    const found = statements.get(sql)
    if (found !== undefined) return found
    if (statements.size >= 64) statements.clear()
    const made = sqlite.prepare<SqlValue[], number>(sql).pluck()
    statements.set(sql, made)
    return made
  }

  function passing(ids: readonly number[], filters: readonly RowFilter[]): number[] {
    if (ids.length === 0) return []
    const { sql, params } = conditionOf(spec, filters)
    const statement = prepared(`SELECT r.id FROM json_each(?) j CROSS JOIN ${table} r ON r.id = j.value WHERE ${sql}`)
    // In the order of the table, so that its pages are read once each.
    const inOrder = JSON.stringify(ids.toSorted((a, b) => a - b))
    const passed = new Set(statement.all(inOrder, ...params))
    return ids.filter((id) => passed.has(id))
  }

  /** All rows that pass, when they are few. */
  function narrowed(filters: readonly RowFilter[]): number[] | undefined {
    const { sql, params } = conditionOf(spec, filters)
    const ids = prepared(`SELECT r.id FROM ${table} r WHERE ${sql} LIMIT ?`).all(...params, NARROW_MAX + 1)
    return ids.length > NARROW_MAX ? undefined : ids
  }

  /** Every row of the expression that passes, newest first: the slow way, for filters that let almost nothing through. */
  function filteredByDatabase(expression: string, filters: readonly RowFilter[], limit: number): number[] {
    const { sql, params } = conditionOf(spec, filters)
    const statement = prepared(
      `SELECT r.id FROM ${name}_fts f CROSS JOIN ${table} r ON r.id = f.rowid
       WHERE ${name}_fts MATCH ? AND ${sql} ORDER BY f.rowid DESC LIMIT ?`,
    )
    return statement.all(expression, ...params, limit)
  }

  /** Adds up, per row, how much its words are worth. */
  function gather(terms: readonly KnownTerm[]): { worth: Map<number, number>; complete: boolean } {
    const worth = new Map<number, number>()
    const add = (ids: readonly number[], value: number): void => {
      for (const id of ids) worth.set(id, (worth.get(id) ?? 0) + value)
    }
    let budget = POSTINGS_MAX
    let at = 0
    for (let term = terms[at]; term !== undefined && term.df <= budget; term = terms[++at]) {
      const ids = newest.all(anyOf(term.forms), POSTINGS_MAX)
      budget -= Math.max(ids.length, 1)
      add(ids, term.idf)
    }
    const common = terms.slice(at)
    const last = terms[at - 1]
    if (common.length > 0 && !enoughStandOut(worth, last?.idf ?? 0)) gatherCommon(last, common, add)
    return { worth, complete: common.length === 0 }
  }

  function gatherCommon(
    last: KnownTerm | undefined,
    common: readonly KnownTerm[],
    add: (ids: readonly number[], value: number) => void,
  ): void {
    const [rarest, ...others] = common
    if (rarest === undefined) return
    if (others.length > 0) add(newest.all(allOf(common), COMMON_MAX), sum(others))
    if (last === undefined) {
      for (const other of others.slice(0, REFINING_MAX)) add(newest.all(allOf([rarest, other]), COMMON_MAX), other.idf)
      add(newest.all(anyOf(rarest.forms), COMMON_MAX), rarest.idf)
    } else {
      // Rows of the least rare term that was read whole are many and look alike so far: common words tell them apart.
      for (const term of common.slice(0, REFINING_MAX)) add(newest.all(allOf([last, term]), COMMON_MAX), term.idf)
    }
  }

  function choose(all: readonly KnownTerm[], filters: readonly RowFilter[]): Candidates {
    const few = filters.length === 0 ? undefined : narrowed(filters)
    if (few !== undefined) return { ids: few, complete: true }
    const terms = all.filter((term) => !term.soft)
    const { worth, complete } = gather(terms)
    const order = bestFirst(worth, filters.length === 0 ? SCORED_MAX : worth.size)
    if (filters.length === 0) return { ids: order.slice(0, SCORED_MAX), complete: complete && worth.size <= SCORED_MAX }
    const ids: number[] = []
    let asked = 0
    while (asked < order.length && ids.length < SCORED_MAX) {
      ids.push(...passing(order.slice(asked, asked + FILTERED_AT_ONCE), filters))
      asked += FILTERED_AT_ONCE
    }
    if (complete || ids.length >= ENOUGH_MIN)
      return { ids: ids.slice(0, SCORED_MAX), complete: complete && ids.length <= SCORED_MAX }
    // The filter may have let through only rows that the budget did not reach.
    const found = new Set(ids)
    const expression = terms.map((term) => anyOf(term.forms)).join(' OR ')
    for (const id of filteredByDatabase(expression, filters, SCORED_MAX)) found.add(id)
    return { ids: [...found].slice(0, SCORED_MAX), complete: found.size < SCORED_MAX }
  }

  return {
    choose,
    passing,
    withWords: (words, filters, limit) =>
      filteredByDatabase(words.map((word) => anyOf([word])).join(' AND '), filters, limit),
  }
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
