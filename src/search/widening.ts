// Widens a query by words that mean nearly what its words do: they count less, and find what the words themselves do not.

import { analyse, analyseQuery } from './analyser.ts'
import { equivalentsOf } from './equivalents.ts'
import { idfOf } from './lookup.ts'
import type { Form, KnownQuery, KnownTerm, Lookup } from './lookup.ts'

/** What an equivalent counts beside the word itself. */
export const ALIKE_WEIGHT = 0.7

/** A term of which some numbers are only alike: a row that has nothing else of it has less of it. */
export interface WideTerm extends KnownTerm {
  readonly alike: readonly number[]
}

export interface WideQuery extends KnownQuery {
  readonly terms: readonly WideTerm[]
}

function plain(query: KnownQuery): WideQuery {
  return { ...query, terms: query.terms.map((term) => ({ ...term, alike: [] })) }
}

/** The English stems of a query that have equivalents, with these. */
function equivalentsIn(text: string): Map<string, readonly string[]> {
  const out = new Map<string, readonly string[]>()
  for (const { forms, soft, prefix } of analyseQuery(text, []).terms) {
    const [stem = ''] = forms
    const others = soft || prefix ? [] : equivalentsOf(stem)
    if (others.length > 0) out.set(stem, others)
  }
  return out
}

function widened(word: string, term: KnownTerm | undefined, found: readonly Form[], rows: number): WideTerm {
  const alike = found.map((form) => form.id)
  const most = Math.max(term?.df ?? 0, ...found.map((form) => form.df))
  return {
    word,
    forms: [...(term?.forms ?? []), ...found.map((form) => form.term)],
    numbers: term?.numbers ?? [],
    alike,
    df: most,
    // A word that some row has keeps its own rarity: its equivalents may be common.
    idf: term?.idf ?? idfOf(most, rows),
    soft: false,
  }
}

/** The query with the equivalents that the index has, rarest term first. Only English ones are known. */
export function widen(query: KnownQuery, text: string, lookup: Lookup): WideQuery {
  const wanted = equivalentsIn(text)
  if (wanted.size === 0 || analyse(text).language !== 'en') return plain(query)
  const known = new Map(lookup.forms([...wanted.values()].flat()).map((form) => [form.term, form]))
  const terms = new Map(plain(query).terms.map((term) => [term.word, term]))
  const alike = new Set<string>()
  for (const [stem, others] of wanted) {
    const found = others.map((other) => known.get(other)).filter((form) => form !== undefined)
    if (found.length === 0) continue
    // A whole word that means the same is better than words that the letters are only a part of.
    terms.set(stem, widened(stem, query.fragments ? undefined : terms.get(stem), found, query.rows))
    alike.add(stem)
  }
  const fragments = query.fragments && [...terms.keys()].some((word) => !alike.has(word))
  return { ...query, terms: [...terms.values()].toSorted((a, b) => a.df - b.df), fragments }
}
