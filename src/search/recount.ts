// Finds and mends counts that are not those of the rows: a gateway that counts in another way may have written beside this one.

import { setImmediate as nextTurn } from 'node:timers/promises'
import type { WritableDatabase } from './check-index.ts'
import { addRow, emptyTally, POSTINGS, WaitingTally } from './counts.ts'
import type { CountedRow, Tally } from './counts.ts'
import type { IndexSpec, Sqlite } from './spec.ts'

/** Rows that are read without letting anything else run: a few milliseconds. */
const READ_ROWS = 200
/** How often rows are read beside other writes, before it is done in one write that nothing can come between. */
const TRIES_MAX = 3
/** Kept while an index has to be written anew, so that a start that is cut short is continued by the next. */
export const DAMAGED = 'damaged'

/**
 * Whether counts and rows agree as far as can be seen cheaply: the sum of the frequencies is what it was when they were last
 * written. False for an index whose sum was never kept.
 */
export function countsAgree(sqlite: Sqlite, name: string): boolean {
  const one = (sql: string): number | undefined => sqlite.prepare<[], number>(sql).pluck().get()
  const kept = one(`SELECT value FROM ${name}_index_state WHERE key = '${POSTINGS}'`)
  return kept !== undefined && kept === one(`SELECT total(df) FROM ${name}_df`)
}

/**
 * How the counts differ from the rows, in sentences; reads everything and changes nothing. Call it in one transaction.
 * @returns an empty list when they agree
 */
export function countProblems(sqlite: Sqlite, name: string): string[] {
  const tally = emptyTally()
  for (const row of countedRows(sqlite, name).iterate(0, EVERYTHING)) addRow(tally, row)
  const { wrong, missing } = compare(sqlite, name, tally)
  const problems: string[] = []
  if (wrong.size > 0) problems.push(`${wrong.size} words are counted wrongly`)
  if (missing > 0) problems.push(`${missing} words of rows are unknown`)
  const rows = sqlite.prepare<[], number>(`SELECT value FROM ${name}_index_state WHERE key = 'rows'`).pluck().get() ?? 0
  if (rows !== tally.rows) problems.push(`the total says ${rows} rows, there are ${tally.rows}`)
  return problems
}

/**
 * Makes the counts those of the rows. Rows are read a few at a time; the write changes only what is wrong.
 * @returns whether words had been counted wrongly: then rows may have lost words too, and all have to be indexed anew
 */
export async function recount(db: WritableDatabase, { name }: IndexSpec, signal?: AbortSignal): Promise<boolean> {
  for (let tried = 0; tried < TRIES_MAX; tried++) {
    const before = stateOf(db.sqlite, name)
    const tally = emptyTally()
    if (!(await readSlowly(db.sqlite, name, tally, signal))) return false
    const damaged = await db.write(({ sqlite }) => {
      return stateOf(sqlite, name) === before ? mend(sqlite, name, tally) : undefined
    })
    if (damaged !== undefined) return damaged
  }
  return db.write(({ sqlite }) => {
    const tally = emptyTally()
    for (const row of countedRows(sqlite, name).iterate(0, EVERYTHING)) addRow(tally, row)
    return mend(sqlite, name, tally)
  })
}

type Listed = CountedRow & { readonly id: number }

const EVERYTHING = Number.MAX_SAFE_INTEGER

/** Up to so many counted rows with an id above a number. */
function countedRows(sqlite: Sqlite, name: string) {
  return sqlite.prepare<[number, number], Listed>(
    `SELECT id, length, language, terms FROM ${name}_docs WHERE id > ?
     AND id <= coalesce((SELECT value FROM ${name}_index_state WHERE key = 'counted'), ${EVERYTHING}) ORDER BY id LIMIT ?`,
  )
}

/** @returns false when it was given up before the end */
async function readSlowly(sqlite: Sqlite, name: string, tally: Tally, signal?: AbortSignal): Promise<boolean> {
  const rows = countedRows(sqlite, name)
  for (let last = 0; ;) {
    if (signal?.aborted === true) return false
    const piece = rows.all(last, READ_ROWS)
    for (const row of piece) addRow(tally, row)
    const end = piece.at(-1)
    if (end === undefined) return true
    last = end.id
    await nextTurn()
  }
}

/** Differs after any write, of this connection or of another one. */
function stateOf(sqlite: Sqlite, name: string): string {
  const state = sqlite.prepare<[], string>(`SELECT json_group_array(value) FROM ${name}_index_state`).pluck().get()
  const changes = sqlite.prepare<[], number>('SELECT total_changes()').pluck().get()
  return JSON.stringify([state, changes, sqlite.pragma('data_version', { simple: true })])
}

/** Terms whose count is wrong, with the right one, and how many terms of rows have no word any more. */
function compare(sqlite: Sqlite, name: string, { frequencies }: Tally) {
  const wrong = new Map<number, number>()
  const seen = new Set<number>()
  for (const { term, df } of sqlite
    .prepare<[], { term: number; df: number }>(`SELECT term, df FROM ${name}_df`)
    .iterate()) {
    seen.add(term)
    if (df !== frequencies.get(term)) wrong.set(term, frequencies.get(term) ?? 0)
  }
  for (const [term, df] of frequencies) if (!seen.has(term)) wrong.set(term, df)
  const known = new Set(sqlite.prepare<[], number>(`SELECT id FROM ${name}_terms`).pluck().all())
  let missing = 0
  for (const terms of [frequencies, new WaitingTally(sqlite, name).read().frequencies])
    for (const term of terms.keys()) if (!known.has(term)) missing++
  return { wrong, missing }
}

function mend(sqlite: Sqlite, name: string, tally: Tally): boolean {
  const { wrong, missing } = compare(sqlite, name, tally)
  const set = sqlite.prepare<[number, number]>(`INSERT OR REPLACE INTO ${name}_df (term, df) VALUES (?, ?)`)
  const drop = sqlite.prepare<[number]>(`DELETE FROM ${name}_df WHERE term = ?`)
  for (const [term, df] of wrong) {
    if (df > 0) set.run(term, df)
    else drop.run(term)
  }
  const put = sqlite.prepare<[string, number]>(`INSERT OR REPLACE INTO ${name}_index_state (key, value) VALUES (?, ?)`)
  sqlite.prepare(`DELETE FROM ${name}_index_state WHERE key LIKE 'language:%'`).run()
  for (const [language, rows] of tally.languages) put.run(`language:${language}`, rows)
  let postings = 0
  for (const df of tally.frequencies.values()) postings += df
  put.run('rows', tally.rows)
  put.run('words', tally.words)
  put.run(POSTINGS, postings)
  const damaged = wrong.size > 0 || missing > 0
  if (damaged) put.run(DAMAGED, 1)
  return damaged
}

/** Forgets words that no row has: the last step after all rows were indexed anew. */
export function forgetUnused(sqlite: Sqlite, name: string): void {
  const waiting = new WaitingTally(sqlite, name).read().frequencies
  const unused = sqlite
    .prepare<[], number>(`SELECT id FROM ${name}_terms WHERE id NOT IN (SELECT term FROM ${name}_df)`)
    .pluck()
    .all()
    .filter((term) => !waiting.has(term))
  const parts = sqlite.prepare<[number]>(`DELETE FROM ${name}_parts WHERE rowid = ?`)
  const terms = sqlite.prepare<[number]>(`DELETE FROM ${name}_terms WHERE id = ?`)
  for (const term of unused) {
    parts.run(term)
    terms.run(term)
  }
}
