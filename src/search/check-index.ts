// Compares an index with its rows, and brings an index that an older analyser wrote up to date.

import { prepareTotals, WaitingTally } from './counts.ts'
import { readPostings } from './postings.ts'
import { countsAgree, DAMAGED, forgetUnused, recount } from './recount.ts'
import type { IndexSpec, IndexedRow, Sqlite } from './spec.ts'
import { indexRow, indexVersion, prepareRow, unindexRow } from './text-index.ts'

const PROBLEMS_MAX = 20
/** Rows per write while an index is brought up to date: a few milliseconds each time. */
const ROWS_PER_WRITE = 16

export interface IndexCheck {
  readonly rows: number
  readonly indexed: number
  /** Sentences, at most 20; empty when index and rows agree. */
  readonly problems: readonly string[]
}

interface SourceRow {
  readonly id: number
  readonly importance: number
  readonly at: number
  readonly [field: string]: string | number | null
}

function selectRows(spec: IndexSpec): string {
  const columns = [...spec.fields.map((field) => field.name), 'importance', 'at']
  return `SELECT r.id AS id, ${columns.map((name) => `${spec.columns[name] ?? 'NULL'} AS "${name}"`).join(', ')} FROM ${spec.table} r`
}

function toIndexedRow(spec: IndexSpec, source: SourceRow): IndexedRow {
  const fields: Record<string, string | null> = {}
  for (const { name } of spec.fields) {
    const value = source[name] ?? null
    fields[name] = value === null ? null : String(value)
  }
  return { fields, importance: source.importance, at: source.at }
}

interface IndexedDoc {
  readonly id: number
  readonly length: number
  readonly terms: string
}

/**
 * Compares index and rows: ids, analysed words, frequencies and totals, the rows that the full-text table finds for each word, and
 * FTS5's own integrity check. Reads everything: for tests and `doctor`, not for a request. Call it inside `db.write`.
 */
export function checkIndex(sqlite: Sqlite, spec: IndexSpec): IndexCheck {
  const { name } = spec
  const problems: string[] = []
  const report = (problem: string): void => {
    if (problems.length < PROBLEMS_MAX) problems.push(problem)
  }
  const terms = new Map(
    sqlite
      .prepare<[], { id: number; term: string }>(`SELECT id, term FROM ${name}_terms`)
      .all()
      .map((row) => [row.id, row.term]),
  )
  const docs = new Map(
    sqlite
      .prepare<[], IndexedDoc>(`SELECT id, length, terms FROM ${name}_docs`)
      .all()
      .map((doc) => [doc.id, doc]),
  )
  const expected = new Map<string, Set<number>>()
  const frequencies = new Map<number, number>()
  let words = 0
  let rows = 0
  for (const source of sqlite.prepare<[], SourceRow>(`${selectRows(spec)} WHERE ${spec.live}`).iterate()) {
    rows++
    const ready = prepareRow(spec, toIndexedRow(spec, source))
    for (const word of ready.words) expected.set(word, (expected.get(word) ?? new Set()).add(source.id))
    const doc = docs.get(source.id)
    if (doc === undefined) {
      report(`row ${source.id} is not in the index`)
      continue
    }
    words += doc.length
    const kept = new Set<string>()
    readPostings(doc.terms, (term) => {
      kept.add(terms.get(term) ?? `#${term}`)
      frequencies.set(term, (frequencies.get(term) ?? 0) + 1)
    })
    if (kept.size !== ready.counts.size || [...kept].some((term) => !ready.counts.has(term))) {
      report(`row ${source.id} is indexed under other words than it has`)
    }
  }
  if (docs.size !== rows) report(`${docs.size} rows are indexed, ${rows} exist`)
  checkFrequencies(sqlite, name, frequencies, report)
  checkTotals(sqlite, name, { rows: docs.size, words }, report)
  checkFullText(sqlite, name, expected, report)
  return { rows, indexed: docs.size, problems }
}

type Report = (problem: string) => void

function checkFrequencies(sqlite: Sqlite, name: string, counted: ReadonlyMap<number, number>, report: Report): void {
  const kept = new Map(new WaitingTally(sqlite, name).read().frequencies)
  const terms = sqlite.prepare<[], { term: number; df: number }>(`SELECT term, df FROM ${name}_df`).all()
  for (const { term, df } of terms) kept.set(term, df + (kept.get(term) ?? 0))
  for (const [term, df] of kept) {
    if (df !== (counted.get(term) ?? 0))
      report(`term ${term} is counted ${df} times and stands in ${counted.get(term) ?? 0} rows`)
  }
  for (const term of counted.keys()) if (!kept.has(term)) report(`term ${term} is not counted`)
  const numbered = sqlite.prepare<[], number>(`SELECT id FROM ${name}_terms`).pluck().all()
  if (numbered.length !== kept.size || numbered.some((id) => !kept.has(id)))
    report('the table of frequencies has other terms than there are')
}

function checkTotals(sqlite: Sqlite, name: string, actual: { rows: number; words: number }, report: Report): void {
  const { rows, words } = prepareTotals(sqlite, name)()
  if (rows !== actual.rows) report(`the total says ${rows} rows, there are ${actual.rows}`)
  if (Math.abs(words - actual.words) > 0.01) report('the total of words is wrong')
}

function checkFullText(
  sqlite: Sqlite,
  name: string,
  expected: ReadonlyMap<string, ReadonlySet<number>>,
  report: Report,
): void {
  for (const table of [`${name}_fts`, `${name}_parts`]) {
    sqlite.exec(`INSERT INTO ${table}(${table}) VALUES ('integrity-check')`)
  }
  const ids = (table: string, key: string): string =>
    sqlite.prepare<[], number>(`SELECT ${key} FROM ${table} ORDER BY 1`).pluck().all().join(' ')
  const numbered = ids(`${name}_terms`, 'id')
  if (numbered !== ids(`${name}_parts`, 'rowid')) report('the table of parts of words has other terms than there are')
  const find = sqlite.prepare<[string], number>(`SELECT rowid FROM ${name}_fts WHERE ${name}_fts MATCH ?`).pluck()
  const vocabulary = new Set(expected.keys())
  for (const { term } of sqlite.prepare<[], { term: string }>(`SELECT term FROM ${name}_terms`).iterate())
    vocabulary.add(term)
  for (const word of vocabulary) {
    const rows = find.all(`"${word.replaceAll('"', '""')}"`)
    const should = expected.get(word) ?? new Set()
    if (rows.length !== should.size || rows.some((id) => !should.has(id))) {
      report(`the full-text table finds ${rows.length} rows for "${word}", ${should.size} have it`)
    }
  }
}

/** The part of a database that bringing up to date needs. */
export interface WritableDatabase {
  readonly sqlite: Sqlite
  write<T>(work: (tx: { readonly sqlite: Sqlite }) => T): Promise<T>
}

/**
 * Indexes rows that are missing or were indexed by another analyser or other weights, and takes out rows that are gone, a few at a
 * time. Returns how many rows were changed. Safe to call at every start, and while others write.
 */
export async function refreshIndex(db: WritableDatabase, spec: IndexSpec, signal?: AbortSignal): Promise<number> {
  const { name, table, live } = spec
  const version = indexVersion(spec)
  // Counts first: indexing anew subtracts from them.
  if (!countsAgree(db.sqlite, name)) await recount(db, spec, signal)
  if (isFresh(db.sqlite, spec, version)) return 0
  const damaged = isDamaged(db.sqlite, name)
  const stale = db.sqlite.prepare<[number, number, number], { id: number; live: number }>(
    `SELECT r.id, (${live}) AS live FROM ${table} r LEFT JOIN ${name}_docs d ON d.id = r.id
     WHERE r.id > ? AND r.id <= ? AND ((${live}) <> (d.id IS NOT NULL) OR d.version <> ?) ORDER BY r.id`,
  )
  const orphans = db.sqlite
    .prepare<[], number>(
      `SELECT d.id FROM ${name}_docs d LEFT JOIN ${table} r ON r.id = d.id WHERE r.id IS NULL LIMIT 100000`,
    )
    .pluck()
  const last = db.sqlite.prepare<[], number | null>(`SELECT max(id) FROM ${table}`).pluck().get() ?? 0
  let changed = await inSmallWrites(db, spec, orphans.all(), signal)
  for (let from = 0; from < last; from += 2000) {
    if (signal?.aborted === true) return changed
    // No row has the version -1: all are indexed anew.
    const ids = stale.all(from, from + 2000, damaged ? -1 : version).map((row) => row.id)
    changed += await inSmallWrites(db, spec, ids, signal)
    await new Promise((resolve) => setImmediate(resolve))
  }
  if (signal?.aborted === true) return changed
  await db.write(({ sqlite }) => {
    if (damaged) forgetUnused(sqlite, name)
    sqlite.prepare(`DELETE FROM ${name}_index_state WHERE key = ?`).run(DAMAGED)
    sqlite.prepare(`INSERT OR REPLACE INTO ${name}_index_state (key, value) VALUES ('version', ?)`).run(version)
  })
  return changed
}

/** Whether words were counted wrongly and the rows have not all been indexed anew since. */
function isDamaged(sqlite: Sqlite, name: string): boolean {
  return sqlite.prepare(`SELECT 1 FROM ${name}_index_state WHERE key = ?`).get(DAMAGED) !== undefined
}

/** True when this version has gone through the index before and as many rows are indexed as there are. */
function isFresh(sqlite: Sqlite, spec: IndexSpec, version: number): boolean {
  const state = sqlite.prepare<[string], number>(`SELECT value FROM ${spec.name}_index_state WHERE key = ?`).pluck()
  if (state.get('version') !== version || isDamaged(sqlite, spec.name)) return false
  const rows = sqlite.prepare<[], number>(`SELECT count(*) FROM ${spec.table} r WHERE ${spec.live}`).pluck().get()
  return prepareTotals(sqlite, spec.name)().rows === rows
}

async function inSmallWrites(
  db: WritableDatabase,
  spec: IndexSpec,
  ids: readonly number[],
  signal?: AbortSignal,
): Promise<number> {
  const one = db.sqlite.prepare<[number], SourceRow>(`${selectRows(spec)} WHERE r.id = ? AND ${spec.live}`)
  let done = 0
  for (let at = 0; at < ids.length; at += ROWS_PER_WRITE) {
    if (signal?.aborted === true) break
    const some = ids.slice(at, at + ROWS_PER_WRITE)
    await db.write((tx) => {
      for (const id of some) {
        const source = one.get(id)
        if (source === undefined) unindexRow(tx.sqlite, spec, id)
        else indexRow(tx.sqlite, spec, id, toIndexedRow(spec, source))
      }
    })
    done += some.length
  }
  return done
}
