// In how many rows each term stands, and how many rows and words an index has. Counting a new row by itself would write a page of
// the database for nearly every word of it, so new rows wait and are counted together; until then readers add them themselves.

import type { Statement } from 'better-sqlite3'
import { readPostings } from './postings.ts'
import type { Sqlite } from './spec.ts'

/** Ids of rows that wait to be counted span at most this: it bounds what a reader adds up and what one write pays for. */
const WAITING_MAX = 128
/** The same in bytes of their words, about three each: a few long rows cost as much as many short ones. */
const WAITING_BYTES = 16_384
/** Rows up to this id are counted, later ones wait. An index without it is counted completely. */
const COUNTED = 'counted'
/** The sum of all frequencies, kept beside them: where they disagree, something else wrote one of the two. */
export const POSTINGS = 'postings'

/** What is counted of a row. */
export interface CountedRow {
  readonly length: number
  readonly language: string
  readonly terms: string
}

interface WaitingRow extends CountedRow {
  readonly id: number
}

/** Sums over some rows. */
export interface Tally {
  rows: number
  words: number
  /** Language → rows. */
  readonly languages: Map<string, number>
  /** Term number → rows. */
  readonly frequencies: Map<number, number>
}

export function emptyTally(): Tally {
  return { rows: 0, words: 0, languages: new Map(), frequencies: new Map() }
}

export function addRow(tally: Tally, row: CountedRow): void {
  tally.rows++
  tally.words += row.length
  tally.languages.set(row.language, (tally.languages.get(row.language) ?? 0) + 1)
  readPostings(row.terms, (term) => tally.frequencies.set(term, (tally.frequencies.get(term) ?? 0) + 1))
}

/** SQL for `indexScript`: where everything that is indexed already counts. */
export function countsScript(name: string): string {
  return `
CREATE TABLE IF NOT EXISTS ${name}_df (term INTEGER PRIMARY KEY, df INTEGER NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS ${name}_index_state (key TEXT PRIMARY KEY, value REAL NOT NULL) STRICT, WITHOUT ROWID;
INSERT OR IGNORE INTO ${name}_index_state (key, value) SELECT '${COUNTED}', coalesce(max(id), 0) FROM ${name}_docs;
`
}

function prepareCounted(sqlite: Sqlite, name: string): Statement<[], number> {
  return sqlite.prepare<[], number>(`SELECT value FROM ${name}_index_state WHERE key = '${COUNTED}'`).pluck()
}

function prepareWaiting(sqlite: Sqlite, name: string): Statement<[number], WaitingRow> {
  return sqlite.prepare(`SELECT id, length, language, terms FROM ${name}_docs WHERE id > ? ORDER BY id`)
}

/**
 * The rows that wait, added up for a reader on its connection. A row that waits never changes (what changes is counted first), so
 * only rows that came since the last look are read.
 */
export class WaitingTally {
  readonly #counted: Statement<[], number>
  readonly #waiting: Statement<[number], WaitingRow>
  #tally = emptyTally()
  #from = 0
  #to = 0

  constructor(sqlite: Sqlite, name: string) {
    this.#counted = prepareCounted(sqlite, name)
    this.#waiting = prepareWaiting(sqlite, name)
  }

  /** Call it in one transaction with the look at what is counted. */
  read(): Tally {
    const counted = this.#counted.get() ?? Infinity
    if (counted !== this.#from) {
      this.#tally = emptyTally()
      this.#from = counted
      this.#to = counted
    }
    if (counted === Infinity) return this.#tally
    for (const row of this.#waiting.iterate(this.#to)) {
      addRow(this.#tally, row)
      this.#to = row.id
    }
    return this.#tally
  }
}

export interface Totals {
  readonly rows: number
  /** Weighted, as lengths of rows are. */
  readonly words: number
}

/** Prepares a look at the totals of an index, those that wait included. */
export function prepareTotals(sqlite: Sqlite, name: string): () => Totals {
  const state = sqlite.prepare<[string], number>(`SELECT value FROM ${name}_index_state WHERE key = ?`).pluck()
  const waiting = new WaitingTally(sqlite, name)
  return sqlite.transaction(() => {
    const { rows, words } = waiting.read()
    return { rows: rows + (state.get('rows') ?? 0), words: words + (state.get('words') ?? 0) }
  })
}

/** Keeps the counts of one index. All methods belong inside a write. */
export class Counts {
  readonly #counted: Statement<[], number>
  readonly #waiting: Statement<[number], WaitingRow>
  readonly #newest: Statement<[], number | null>
  readonly #add: Statement<[string]>
  readonly #subtract: Statement<[string]>
  readonly #unused: Statement<[string], number>
  readonly #addState: Statement<[string]>
  readonly #sizes: Statement<[number, number], { id: number; bytes: number }>
  #sized = { from: 0, to: 0, bytes: 0 }

  constructor(sqlite: Sqlite, name: string) {
    this.#counted = prepareCounted(sqlite, name)
    this.#waiting = prepareWaiting(sqlite, name)
    this.#newest = sqlite.prepare<[], number | null>(`SELECT max(id) FROM ${name}_docs`).pluck()
    this.#sizes = sqlite.prepare(
      `SELECT id, octet_length(terms) AS bytes FROM ${name}_docs WHERE id > ? AND id < ? ORDER BY id`,
    )
    this.#add = sqlite.prepare(
      `INSERT INTO ${name}_df (term, df) SELECT CAST(key AS INTEGER), value FROM json_each(?) WHERE true
       ON CONFLICT (term) DO UPDATE SET df = df + excluded.df`,
    )
    this.#subtract = sqlite.prepare(`UPDATE ${name}_df SET df = df - 1 WHERE term IN (SELECT value FROM json_each(?))`)
    this.#unused = sqlite
      .prepare<[string], number>(
        `DELETE FROM ${name}_df WHERE df <= 0 AND term IN (SELECT value FROM json_each(?)) RETURNING term`,
      )
      .pluck()
    this.#addState = sqlite.prepare(
      `INSERT INTO ${name}_index_state (key, value) SELECT key, value FROM json_each(?) WHERE true
       ON CONFLICT (key) DO UPDATE SET value = value + excluded.value`,
    )
  }

  /** Counts a row; `insert` puts it among the indexed ones. Only a row behind all others can wait. */
  add(id: number, row: CountedRow, insert: () => void): void {
    const counted = this.#countedUpTo()
    if (id > counted && id > (this.#newest.get() ?? 0)) {
      const bytes = this.#waitingBytes(counted, id) + row.terms.length
      insert()
      if (id - counted >= WAITING_MAX || bytes >= WAITING_BYTES) this.settle()
      return
    }
    this.settle()
    insert()
    const tally = emptyTally()
    addRow(tally, row)
    this.#apply(tally, 0)
  }

  /** Takes a row out of the counts. @returns terms that no row has any more */
  remove(row: CountedRow): number[] {
    const terms: number[] = []
    readPostings(row.terms, (term) => terms.push(term))
    const list = JSON.stringify(terms)
    this.#subtract.run(list)
    const less = { rows: -1, words: -row.length, [POSTINGS]: -terms.length, [`language:${row.language}`]: -1 }
    this.#addState.run(JSON.stringify(less))
    return this.#unused.all(list)
  }

  /** Counts the rows that wait. Necessary before an indexed row changes. */
  settle(): void {
    const counted = this.#countedUpTo()
    const tally = emptyTally()
    let last = counted
    for (const row of this.#waiting.iterate(counted)) {
      addRow(tally, row)
      last = row.id
    }
    if (last > counted) this.#apply(tally, last - counted)
  }

  /** Bytes of the words of rows that wait and are older than a row. Remembered, because rows that wait do not change. */
  #waitingBytes(counted: number, before: number): number {
    // A write that was undone gives its ids to others.
    if (this.#sized.from !== counted || this.#sized.to >= before) this.#sized = { from: counted, to: counted, bytes: 0 }
    for (const { id, bytes } of this.#sizes.iterate(this.#sized.to, before)) {
      this.#sized.to = id
      this.#sized.bytes += bytes
    }
    return this.#sized.bytes
  }

  #countedUpTo(): number {
    const known = this.#counted.get()
    if (known !== undefined) return known
    const all = this.#newest.get() ?? 0
    this.#addState.run(JSON.stringify({ [COUNTED]: all }))
    return all
  }

  #apply({ rows, words, languages, frequencies }: Tally, further: number): void {
    // Numbers as keys come out in ascending order, so that each page of the table is visited once.
    this.#add.run(JSON.stringify(Object.fromEntries(frequencies)))
    let postings = 0
    for (const df of frequencies.values()) postings += df
    const state: Record<string, number> = { rows, words, [POSTINGS]: postings, [COUNTED]: further }
    for (const [language, count] of languages) state[`language:${language}`] = count
    this.#addState.run(JSON.stringify(state))
  }
}
