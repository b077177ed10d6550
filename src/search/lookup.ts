// Turns the words of a query into the terms that an index really has: their numbers, and in how many rows each stands.

import type { Statement } from 'better-sqlite3'
import { analyseQuery } from './analyser.ts'
import type { AnalysedQuery, Language } from './analyser.ts'
import { WaitingTally } from './counts.ts'
import { beginningOf, isCorrectable, isOneSlip } from './spelling.ts'
import type { IndexSpec, Sqlite } from './spec.ts'

/** Words of a query that are looked for; of longer ones (a pasted paragraph) the rarest are kept. */
const QUERY_TERMS_MAX = 24
/** Terms of an index that one beginning or fragment may stand for. */
const EXPANSIONS_MAX = 64
/** Unknown words of a query that are corrected, those that are completed, and those looked for as parts of words: the first ones. */
const CORRECTED_MAX = 8
const COMPLETED_MAX = 24
const FRAGMENTS_MAX = 8
/** Terms with the same beginning that one unknown word is compared with. */
const COMPARED_MAX = 4000
/** Terms with the same three letters that one fragment is looked for in. */
const AROUND_MAX = 1000
/** A fragment shorter than this is in too many words to mean one. */
const FRAGMENT_CHARS_MIN = 3
/** A corrected or completed word counts less than the word itself. */
const GUESS_WEIGHT = 0.6

/** One word of a query, as the index knows it. */
export interface KnownTerm {
  /** The word as the query has it, stemmed. */
  readonly word: string
  /** What the full-text table is asked for: any of these. */
  readonly forms: readonly string[]
  /** The forms' term numbers. */
  readonly numbers: readonly number[]
  /** Rows that have it (the most frequent form's). */
  readonly df: number
  /** What a row that has it gains before the count is considered; grows with rarity. */
  readonly idf: number
  /** Adds to scores, finds nothing by itself. */
  readonly soft: boolean
}

export interface KnownQuery {
  readonly terms: readonly KnownTerm[]
  readonly stopWords: readonly string[]
  readonly rows: number
  /** Mean length of a row in weighted words. */
  readonly meanLength: number
  /** True when no whole word was known and parts of words were looked for. */
  readonly fragments: boolean
}

/** A term of the index. */
export interface Form {
  readonly id: number
  readonly term: string
  readonly df: number
}

interface State {
  readonly rows: number
  readonly words: number
  readonly languages: Language[]
}

const LANGUAGE = /^(en|es|de|fr|pt|it|nl|sv|ru)$/
const LANGUAGE_KEY = 'language:'

/** BM25's inverse document frequency, never negative. */
export function idfOf(df: number, rows: number): number {
  return Math.log(1 + (Math.max(rows, df) - df + 0.5) / (df + 0.5))
}

/** What one index knows of words, on one connection. */
export class Lookup {
  readonly #state: Statement<[], { key: string; value: number }>
  readonly #exact: Statement<[string], Form>
  readonly #inRange: Statement<[string, string, number], Form>
  readonly #likely: Statement<[string, string, number, number], string>
  readonly #containing: Statement<[string, string, number], Form>
  readonly #waiting: WaitingTally
  /** Both look in one transaction, because rows may be counted between two statements. */
  readonly #known: (text: string) => KnownQuery
  readonly #forms: (terms: readonly string[]) => readonly Form[]

  constructor(sqlite: Sqlite, { name }: IndexSpec) {
    this.#waiting = new WaitingTally(sqlite, name)
    this.#known = sqlite.transaction((text: string) => this.#lookUp(text))
    this.#forms = sqlite.transaction((terms: readonly string[]) =>
      this.#withWaiting(this.#exact.all(JSON.stringify(terms))),
    )
    const frequency = `LEFT JOIN ${name}_df d ON d.term = t.id`
    const form = 't.id, t.term, coalesce(d.df, 0) AS df'
    this.#state = sqlite.prepare(`SELECT key, value FROM ${name}_index_state WHERE value > 0`)
    this.#exact = sqlite.prepare(
      `SELECT ${form} FROM json_each(?) j JOIN ${name}_terms t ON t.term = j.value ${frequency}`,
    )
    this.#inRange = sqlite.prepare(
      `SELECT ${form} FROM ${name}_terms t ${frequency} WHERE t.term >= ? AND t.term < ? LIMIT ?`,
    )
    // The inner limit bounds what is read; frequencies are only read for the few terms that are left.
    this.#likely = sqlite
      .prepare<[string, string, number, number], string>(
        `SELECT term FROM (SELECT term FROM ${name}_terms WHERE term >= ? AND term < ? LIMIT ${COMPARED_MAX})
         WHERE length(term) BETWEEN ? AND ?`,
      )
      .pluck()
    this.#containing = sqlite.prepare(
      `SELECT ${form} FROM (SELECT rowid AS id FROM ${name}_parts WHERE ${name}_parts MATCH ? LIMIT ${AROUND_MAX}) p
       CROSS JOIN ${name}_terms t ON t.id = p.id ${frequency}
       WHERE instr(t.term, ?) > 0 ORDER BY d.df DESC LIMIT ?`,
    )
  }

  /** The terms of a query that the index has; of a word it has not, a close guess, or terms that the word is a part of. */
  known(text: string): KnownQuery {
    return this.#known(text)
  }

  /** The terms of the index among these, with their frequencies. */
  forms(terms: readonly string[]): readonly Form[] {
    return this.#forms(terms)
  }

  #lookUp(text: string): KnownQuery {
    const { rows, words, languages } = this.#readState()
    const query = analyseQuery(text, languages)
    const base = { stopWords: query.stopWords, rows, meanLength: rows === 0 ? 1 : Math.max(1, words / rows) }
    const terms = rarest(this.#knownTerms(query, rows))
    if (terms.some((term) => !term.soft)) return { ...base, terms, fragments: false }
    const fragments = rarest(this.#fragmentTerms(query, rows))
    return { ...base, terms: fragments, fragments: fragments.length > 0 }
  }

  /** Forms as the counts have them, with the rows that are not counted yet. */
  #withWaiting(forms: readonly Form[]): Form[] {
    const { frequencies } = this.#waiting.read()
    return forms.map(({ id, term, df }) => ({ id, term, df: df + (frequencies.get(id) ?? 0) }))
  }

  #readState(): State {
    const waiting = this.#waiting.read()
    const out = { rows: waiting.rows, words: waiting.words }
    const languages = new Set<string>(waiting.languages.keys())
    for (const { key, value } of this.#state.all()) {
      if (key === 'rows') out.rows += value
      else if (key === 'words') out.words += value
      else if (key.startsWith(LANGUAGE_KEY)) languages.add(key.slice(LANGUAGE_KEY.length))
    }
    return { ...out, languages: [...languages].filter(isLanguage).toSorted() }
  }

  #knownTerms(query: AnalysedQuery, rows: number): KnownTerm[] {
    const byTerm = new Map(this.#forms(query.terms.flatMap((term) => term.forms)).map((form) => [form.term, form]))
    const completed = new Set(query.terms.filter((term) => term.prefix).slice(0, COMPLETED_MAX))
    const known: KnownTerm[] = []
    let corrections = 0
    for (const term of query.terms) {
      const [word = ''] = term.forms
      const forms = term.prefix
        ? this.#completions(word, completed.has(term))
        : term.forms.map((form) => byTerm.get(form)).filter((form) => form !== undefined)
      if (forms.length > 0) {
        known.push(joined(word, forms, rows, term.weight, term.soft))
      } else if (!term.soft && !term.prefix && isCorrectable(word) && corrections++ < CORRECTED_MAX) {
        const corrected = this.#correctionOf(word)
        if (corrected !== undefined) known.push(joined(word, [corrected], rows, term.weight * GUESS_WEIGHT, false))
      }
    }
    return known
  }

  #completions(beginning: string, wanted: boolean): Form[] {
    return wanted ? this.#startingWith(beginning, EXPANSIONS_MAX) : []
  }

  /** The most frequent term that is one slip away and begins the same. */
  #correctionOf(word: string): Form | undefined {
    const beginning = beginningOf(word)
    const likely = this.#likely.all(beginning, `${beginning}\u{10ffff}`, word.length - 1, word.length + 1)
    const near = likely.filter((term) => isOneSlip(word, term))
    if (near.length === 0) return undefined
    let best: Form | undefined
    for (const form of this.#withWaiting(this.#exact.all(JSON.stringify(near)))) {
      if (form.df > (best?.df ?? 0)) best = form
    }
    return best
  }

  /** Terms from `prefix` up to the last that begins with it. */
  #startingWith(prefix: string, limit: number): Form[] {
    return this.#withWaiting(this.#inRange.all(prefix, `${prefix}\u{10ffff}`, limit))
  }

  #fragmentTerms(query: AnalysedQuery, rows: number): KnownTerm[] {
    const fragments = query.terms
      .map(({ forms: [fragment = ''] }) => fragment)
      .filter((fragment) => Array.from(fragment).length >= FRAGMENT_CHARS_MIN)
    const known: KnownTerm[] = []
    for (const fragment of fragments.slice(0, FRAGMENTS_MAX)) {
      const forms = this.#termsAround(fragment)
      if (forms.length > 0) known.push(joined(fragment, forms, rows, GUESS_WEIGHT, false))
    }
    return known
  }

  /** Terms that contain a fragment, or end with the beginning of it: the dictionary holds stems, which may end inside the fragment. */
  #termsAround(fragment: string): readonly Form[] {
    const inside = this.#withWaiting(this.#containing.all(trigrams(fragment), fragment, EXPANSIONS_MAX))
    if (inside.length > 0) return inside
    // Letters, not units of UTF-16: of a few rare ones no three would be left to look for.
    const letters = Array.from(fragment)
    for (let length = letters.length - 1; length > FRAGMENT_CHARS_MIN && length >= letters.length - 3; length--) {
      const beginning = letters.slice(0, length).join('')
      const around = this.#withWaiting(this.#containing.all(trigrams(beginning), beginning, EXPANSIONS_MAX))
      const ending = around.filter((form) => form.term.endsWith(beginning))
      if (ending.length > 0) return ending
    }
    return []
  }
}

/** The full-text expression for every three letters of a text. */
function trigrams(text: string): string {
  const letters = Array.from(text)
  const out: string[] = []
  for (let i = 0; i + 3 <= letters.length; i++)
    out.push(
      `"${letters
        .slice(i, i + 3)
        .join('')
        .replaceAll('"', '""')}"`,
    )
  return out.join(' AND ')
}

function isLanguage(name: string): name is Language {
  return LANGUAGE.test(name)
}

function joined(word: string, forms: readonly Form[], rows: number, weight: number, soft: boolean): KnownTerm {
  const df = Math.min(rows, Math.max(...forms.map((form) => form.df)))
  return {
    word,
    forms: forms.map((form) => form.term),
    numbers: forms.map((form) => form.id),
    df,
    idf: idfOf(df, rows) * weight,
    soft,
  }
}

function rarest(terms: readonly KnownTerm[]): KnownTerm[] {
  return terms.toSorted((a, b) => a.df - b.df).slice(0, QUERY_TERMS_MAX)
}
