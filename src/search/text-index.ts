// Writes one searchable table's index: analysed words into FTS5, each row's words and their counts into tables of our own.

import { ANALYSER_VERSION, analyse } from './analyser.ts'
import type { Language } from './analyser.ts'
import type { CountedRow } from './counts.ts'
import { Counts, countsScript } from './counts.ts'
import { encodePostings } from './postings.ts'
import type { IndexedRow, IndexSpec, Sqlite } from './spec.ts'

/** Joiners that the analyser leaves inside identifiers; the tokenizer must not cut there. */
const TOKEN_CHARS = '_.:/\\@#~+&'

/**
 * SQL for `openDatabase({ repeatable })`: creates the tables of an index when they are missing.
 * `_fts` finds rows by term; `_terms` numbers the terms, `_df` counts the rows of each; `_docs` keeps each row's terms for ranking.
 * `_parts` finds terms by three letters inside them. A term that no row has any more is forgotten: it may have been a secret.
 */
export function indexScript(spec: IndexSpec): string {
  const { name } = spec
  return `
CREATE VIRTUAL TABLE IF NOT EXISTS ${name}_fts USING fts5(
  terms, content='', contentless_delete=1, detail=none, tokenize="ascii tokenchars '${TOKEN_CHARS}'"
);
CREATE TABLE IF NOT EXISTS ${name}_terms (id INTEGER PRIMARY KEY, term TEXT NOT NULL UNIQUE) STRICT;
CREATE VIRTUAL TABLE IF NOT EXISTS ${name}_parts USING fts5(
  term, content='', contentless_delete=1, detail=none, tokenize='trigram case_sensitive 1'
);
CREATE TABLE IF NOT EXISTS ${name}_docs (
  id INTEGER PRIMARY KEY, grp INTEGER NOT NULL, length REAL NOT NULL, importance INTEGER NOT NULL, at INTEGER NOT NULL,
  language TEXT NOT NULL, version INTEGER NOT NULL, terms TEXT NOT NULL
) STRICT;
${countsScript(name)}`
}

/** What an index was written by: another analyser or other field weights make another number. */
export function indexVersion(spec: IndexSpec): number {
  return hashOf(JSON.stringify([ANALYSER_VERSION, spec.fields, spec.group ?? '']))
}

/** A row after analysis, before its terms have numbers. */
export interface PreparedRow {
  /** 0: belongs to no group. */
  readonly group: number
  readonly length: number
  readonly language: Language
  /** Term → weighted count. */
  readonly counts: ReadonlyMap<string, number>
  /** Distinct terms and stop words: what the full-text table is given. */
  readonly words: ReadonlySet<string>
}

/** Extra count of a word in the label a text begins with (`Caroline: …`, `TODO: …`): it says whose or what the text is. */
const LABEL_COUNT = 2
const LABEL = /^\s*([\p{L}\p{N}][^:\n]{0,39}):\s/u
const LABEL_WORDS_MAX = 4

/** 32-bit FNV-1a, never 0. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return hash >>> 0 || 1
}

function labelOf(text: string): readonly string[] {
  const label = LABEL.exec(text.slice(0, 60))?.[1]
  if (label === undefined) return []
  const terms = [...analyse(label).counts.keys()]
  return terms.length <= LABEL_WORDS_MAX ? terms : []
}

/** Analyses a row; pure, and a good part of the cost of storing one. */
export function prepareRow(spec: IndexSpec, row: IndexedRow): PreparedRow {
  const counts = new Map<string, number>()
  const words = new Set<string>()
  let length = 0
  let language: Language = 'en'
  let longest = -1
  const add = (term: string, count: number): void => void counts.set(term, (counts.get(term) ?? 0) + count)
  for (const { name, weight } of spec.fields) {
    const text = row.fields[name] ?? ''
    if (text === '') continue
    const analysis = analyse(text)
    for (const [term, count] of analysis.counts) add(term, count * weight)
    for (const word of analysis.stopWords) words.add(word)
    length += analysis.length * weight
    if (analysis.length > longest) {
      longest = analysis.length
      language = analysis.language
    }
    for (const term of labelOf(text)) if (counts.has(term)) add(term, LABEL_COUNT * weight)
  }
  for (const term of counts.keys()) words.add(term)
  const group = (spec.group === undefined ? '' : (row.fields[spec.group] ?? '')).trim()
  return { group: group === '' ? 0 : hashOf(group), length, language, counts, words }
}

interface Statements {
  doc(id: number): CountedRow | undefined
  /** Numbers of these terms, in order; unknown ones are added. */
  numbersOf(terms: readonly string[]): number[]
  readonly counts: Counts
  /** Forgets terms that no row has any more. */
  forget(terms: readonly number[]): void
  insert(id: number, row: IndexedRow, ready: PreparedRow, version: number, terms: string): void
  remove(id: number): void
}

const prepared = new WeakMap<Sqlite, Map<string, Statements>>()

function statementsOf(sqlite: Sqlite, spec: IndexSpec): Statements {
  const known = prepared.get(sqlite) ?? new Map<string, Statements>()
  prepared.set(sqlite, known)
  const found = known.get(spec.name) ?? prepareStatements(sqlite, spec.name)
  known.set(spec.name, found)
  return found
}

function prepareStatements(sqlite: Sqlite, name: string): Statements {
  const doc = sqlite.prepare<[number], CountedRow>(`SELECT length, language, terms FROM ${name}_docs WHERE id = ?`)
  // One statement for all terms of a row costs a third of one per term.
  const numbers = sqlite
    .prepare<[string], number | null>(`SELECT t.id FROM json_each(?) j LEFT JOIN ${name}_terms t ON t.term = j.value`)
    .pluck()
  const addTerm = sqlite.prepare<[string]>(`INSERT INTO ${name}_terms (term) VALUES (?)`)
  const addParts = sqlite.prepare<[number, string]>(`INSERT INTO ${name}_parts (rowid, term) VALUES (?, ?)`)
  const newTerm = (term: string): number => {
    const id = Number(addTerm.run(term).lastInsertRowid)
    addParts.run(id, term)
    return id
  }
  const forgetTerms = sqlite.prepare<[string]>(`DELETE FROM ${name}_terms WHERE id IN (SELECT value FROM json_each(?))`)
  const forgetParts = sqlite.prepare<[number]>(`DELETE FROM ${name}_parts WHERE rowid = ?`)
  const insertFts = sqlite.prepare<[number, string]>(`INSERT INTO ${name}_fts (rowid, terms) VALUES (?, ?)`)
  const deleteFts = sqlite.prepare<[number]>(`DELETE FROM ${name}_fts WHERE rowid = ?`)
  const insertDoc = sqlite.prepare<[number, number, number, number, number, string, number, string]>(
    `INSERT INTO ${name}_docs (id, grp, length, importance, at, language, version, terms) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const deleteDoc = sqlite.prepare<[number]>(`DELETE FROM ${name}_docs WHERE id = ?`)
  return {
    doc: (id) => doc.get(id),
    numbersOf: (terms) => numbers.all(JSON.stringify(terms)).map((id, i) => id ?? newTerm(terms[i] ?? '')),
    counts: new Counts(sqlite, name),
    forget(terms) {
      for (const term of terms) forgetParts.run(term)
      if (terms.length > 0) forgetTerms.run(JSON.stringify(terms))
    },
    insert(id, row, ready, version, terms) {
      insertFts.run(id, [...ready.words].join(' '))
      insertDoc.run(id, ready.group, ready.length, row.importance, row.at, ready.language, version, terms)
    },
    remove(id) {
      deleteFts.run(id)
      deleteDoc.run(id)
    },
  }
}

/** Puts a row into the index, or replaces it there; a new one is counted with the rows around it, see `counts.ts`. Call it inside the transaction that writes the row. */
export function indexRow(sqlite: Sqlite, spec: IndexSpec, id: number, row: IndexedRow): void {
  unindexRow(sqlite, spec, id)
  const statements = statementsOf(sqlite, spec)
  const ready = prepareRow(spec, row)
  const numbers = statements.numbersOf([...ready.counts.keys()])
  const counts = [...ready.counts.values()]
  const terms = encodePostings(numbers.map((term, i) => ({ term, count: counts[i] ?? 0 })))
  const insert = (): void => statements.insert(id, row, ready, indexVersion(spec), terms)
  statements.counts.add(id, { length: ready.length, language: ready.language, terms }, insert)
}

/** Takes a row out of the index; a row that is not there is fine. Call it in the transaction that deletes (or soft-deletes) the row. */
export function unindexRow(sqlite: Sqlite, spec: IndexSpec, id: number): void {
  const statements = statementsOf(sqlite, spec)
  const doc = statements.doc(id)
  if (doc === undefined) return
  statements.counts.settle()
  statements.remove(id)
  statements.forget(statements.counts.remove(doc))
}
