// The words that tools are declared with for a word that somebody says, and how much each counts beside it.

import type { Language } from './languages.ts'
import { isStopWord } from './languages.ts'
import { equivalentsOf } from './equivalents.ts'
import { stem } from './stems.ts'
import { english, tables } from './tool-tables.ts'
import type { Phrase } from './tool-tables.ts'

/** What a word found by way of another counts beside the word itself. */
const WEIGHTS = {
  alike: 0.6,
  said: 0.7,
  everyday: 0.4,
  phrase: 0.9,
  joint: 0.8,
  jointVerb: 0.6,
  translated: 0.9,
} as const
/** What is done says less of a tool than what it is done to. */
const VERB_WEIGHT = 0.9
const CARRYING_WEIGHT = 0.2
/** A turn of speech that only says what is done. */
const DEED_PHRASE_WEIGHT = 0.75
/** "Friday's list", "tonight": when something is says little of what it is. */
const WHEN_WEIGHT = 0.5
/** Words between those of a turn of speech that means several things at once. */
const JOINT_GAP_MAX = 3
/** "Which", "who", "how" say what kind of answer is wanted, no more. */
const CUE_WEIGHT = 0.3
/** What one word of a question looks for. */
export interface SoughtTerm {
  /** The word as it was typed, folded. */
  readonly word: string
  /** Its own form. */
  readonly own: string
  /** Term of the index → how much it counts. */
  readonly forms: ReadonlyMap<string, number>
  readonly weight: number
  /** Whether the index or a table knows the word: it is no slip of another. */
  readonly known: boolean
}

/** These stand apart from their verb: "turn the light off". */
const PARTICLES = new Set(['off', 'on', 'out', 'up', 'down', 'away', 'back'])

/** The places of the words of a phrase that begins at `start`; undefined where it does not. */
function placesOf(phrase: Phrase, stems: readonly string[], start: number, most: number): number[] | undefined {
  const places = [start]
  let at = start
  for (const word of phrase.words.slice(1)) {
    let next = at + 1
    const gap = isStopWord(word, 'en') && !PARTICLES.has(word) ? 0 : most
    while (next < stems.length && next - at <= gap + 1 && stems[next] !== word) next++
    if (stems[next] !== word || next - at > gap + 1) return undefined
    places.push(next)
    at = next
  }
  return places
}

export interface FoundPhrase {
  /** Its words joined by `_`, as an identifier has them. */
  readonly term: string
  readonly meant: readonly string[]
  readonly joint: boolean
  readonly places: readonly number[]
}

/** Turns of speech in a row of English stems. With `gap` 0 their words stand side by side. */
export function phrasesIn(stems: readonly string[], gap: number): FoundPhrase[] {
  const found: FoundPhrase[] = []
  const { phrases } = tables()
  stems.forEach((first, start) => {
    for (const phrase of phrases.get(first) ?? []) {
      const places = placesOf(phrase, stems, start, phrase.joint ? Math.min(gap, JOINT_GAP_MAX) : gap)
      if (places !== undefined)
        found.push({ term: phrase.words.join('_'), meant: phrase.meant, joint: phrase.joint, places })
    }
  })
  return found
}

/** What a word means in English, when it is a word of another language. */
export function translated(word: string, language: Language): readonly string[] {
  const out: string[] = []
  for (const { language: other, table } of tables().translations) {
    if (language !== 'en' && language !== other) continue
    out.push(...(table.get(stem(word, other)) ?? []))
  }
  return out
}

/**
 * What a word looks for.
 * @param isTerm whether a term stands in the index: such a word is not taken for one of another language
 */
export function soughtTerm(word: string, language: Language, isTerm: (term: string) => boolean): SoughtTerm {
  const { verbs, nouns, said, carrying, whens } = tables()
  const own = english(word)
  const forms = new Map([[own, 1]])
  const add = (terms: Iterable<string>, weight: number): void => {
    for (const term of terms) if ((forms.get(term) ?? 0) < weight) forms.set(term, weight)
  }
  if (language !== 'en') add([stem(word, language)], 1)
  add(verbs.get(own) ?? [], WEIGHTS.alike)
  add(nouns.get(own) ?? [], WEIGHTS.alike)
  add(said.get(own) ?? [], WEIGHTS.said)
  add(equivalentsOf(own), WEIGHTS.everyday)
  const known = forms.size > 1
  if (language !== 'en' || (!known && !isTerm(own))) add(translated(word, language), WEIGHTS.translated)
  const weight = whens.has(own)
    ? WHEN_WEIGHT
    : carrying.has(word)
      ? CARRYING_WEIGHT
      : verbs.has(own) && !nouns.has(own)
        ? VERB_WEIGHT
        : 1
  return { word, own, forms, weight, known: forms.size > 1 || weight < 1 || isTerm(own) }
}

/** A word as it is, and nothing beside it. */
export function plainTerm(word: string): SoughtTerm {
  const own = english(word)
  return { word, own, forms: new Map([[own, 1]]), weight: 1, known: true }
}

/** What a word such as "which" says about the answer; most common words say nothing. */
export function cueOf(word: string): SoughtTerm | undefined {
  const meant = tables().said.get(english(word))
  if (meant === undefined) return undefined
  return { word, own: '', forms: new Map([...meant].map((term) => [term, 1])), weight: CUE_WEIGHT, known: true }
}

/** What a turn of speech looks for: all that it means, or else any of it. */
export function phraseTerms({ term, meant, joint }: FoundPhrase): SoughtTerm[] {
  const { verbs, nouns } = tables()
  if (!joint) {
    const isDeed = meant.every((word) => verbs.has(word) && !nouns.has(word))
    const forms = new Map<string, number>(meant.map((word) => [word, WEIGHTS.phrase]))
    return [{ word: term, own: term, forms: forms.set(term, 1), weight: isDeed ? DEED_PHRASE_WEIGHT : 1, known: true }]
  }
  return meant.map((word) => {
    const weight = verbs.has(word) && !nouns.has(word) ? WEIGHTS.jointVerb : WEIGHTS.joint
    return { word, own: '', forms: new Map([[word, 1]]), weight, known: true }
  })
}

/** Whether a word is one for what tools do. */
export const isVerb = (own: string): boolean => tables().verbs.has(own)
