// The one analyser: what a stored text is indexed as, and what a query looks for. Change it together with ANALYSER_VERSION.

import { detectLanguage, framesQuestion, isStopWord } from './languages.ts'
import type { Language } from './languages.ts'
import { isPaired, pairsOf, scriptRuns } from './scripts.ts'
import { stem } from './stems.ts'
import { wordsOf } from './words.ts'

export type { Language } from './languages.ts'

/** Written into each index; an index of another version is rebuilt in the background. */
export const ANALYSER_VERSION = 1

/** How much a word such as "kind" or "mention" counts in a query. */
const FRAMING_WEIGHT = 0.5

export interface Analysis {
  readonly language: Language
  /** Term → how often it stands in the text. Stop words are not terms. */
  readonly counts: ReadonlyMap<string, number>
  /** Length in words, as ranking counts it: stop words and parts of identifiers left out. */
  readonly length: number
  /** Stop words of the text's language: they find a row only when a query has nothing else. */
  readonly stopWords: ReadonlySet<string>
}

/** What one word of a query looks for: a row has it when it has any of the forms. */
export interface QueryTerm {
  readonly forms: readonly string[]
  /** Adds to a score but finds nothing by itself: single Han characters beside their pairs. */
  readonly soft: boolean
  /** One character of a script that is indexed in pairs: any term that begins with it counts. */
  readonly prefix: boolean
  /** 1, or less for words that only frame a question. */
  readonly weight: number
}

export interface AnalysedQuery {
  readonly terms: readonly QueryTerm[]
  /** The stop words, in order; used when there is nothing else to look for. */
  readonly stopWords: readonly string[]
}

/**
 * What a text is indexed as. Each word gives its English stem, and, where the text is in another language, its stem there too:
 * whatever language a short query is taken for, the form it looks for exists.
 */
export function analyse(text: string): Analysis {
  const words = wordsOf(text)
  const language = detectLanguage(
    words.map((word) => word.text),
    text,
  )
  const counts = new Map<string, number>()
  const stopWords = new Set<string>()
  let length = 0
  const add = (term: string): void => void counts.set(term, (counts.get(term) ?? 0) + 1)
  for (const word of words) {
    if (isPaired(word.text)) {
      for (const run of scriptRuns(word.text)) length += addRun(run, language, add)
    } else if (word.kind !== 'whole' && isStopWord(word.text, language)) {
      stopWords.add(word.text)
    } else {
      for (const form of formsOf(word.text, [language])) add(form)
      if (word.kind !== 'part') length++
    }
  }
  return { language, counts, length, stopWords }
}

function addRun(run: string, language: Language, add: (term: string) => void): number {
  if (!isPaired(run)) {
    for (const form of formsOf(run, [language])) add(form)
    return 1
  }
  const { pairs, singles } = pairsOf(run)
  for (const term of pairs) add(term)
  for (const term of singles) add(term)
  return pairs.length
}

/** English stem first, then the stems of the other languages, without repeats. */
function formsOf(word: string, languages: Iterable<Language>): string[] {
  const forms = [stem(word, 'en')]
  for (const language of languages) {
    const form = stem(word, language)
    if (!forms.includes(form)) forms.push(form)
  }
  return forms
}

/**
 * What a query looks for.
 * @param languages the languages of the rows in the index; each word is also looked for by its stem in these
 */
export function analyseQuery(text: string, languages: Iterable<Language>): AnalysedQuery {
  const words = wordsOf(text)
  const language = detectLanguage(
    words.map((word) => word.text),
    text,
  )
  const tried = new Set<Language>([language, ...languages])
  const terms = new Map<string, QueryTerm>()
  const stops: string[] = []
  const add = (forms: readonly string[], soft = false, prefix = false, weight = 1): void => {
    const [key = ''] = forms
    const known = terms.get(key)
    if (known === undefined || (known.soft && !soft)) terms.set(key, { forms, soft, prefix, weight })
  }
  for (const word of words) {
    if (isPaired(word.text)) for (const run of scriptRuns(word.text)) addQueryRun(run, tried, add)
    else if (word.kind !== 'whole' && isStopWord(word.text, language)) stops.push(word.text)
    else
      add(formsOf(word.text, tried), false, false, language === 'en' && framesQuestion(word.text) ? FRAMING_WEIGHT : 1)
  }
  return { terms: [...terms.values()], stopWords: stops }
}

function addQueryRun(
  run: string,
  languages: Iterable<Language>,
  add: (forms: readonly string[], soft?: boolean, prefix?: boolean) => void,
): void {
  if (!isPaired(run)) {
    add(formsOf(run, languages))
    return
  }
  const { pairs, singles } = pairsOf(run)
  const [first = ''] = pairs
  const alone = pairs.length === 1 && Array.from(first).length === 1
  for (const term of pairs) add([term], false, alone)
  for (const term of singles) add([term], true)
}
