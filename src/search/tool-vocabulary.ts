// The words that tools are declared with for a word that somebody says, and how much each counts beside it.

import type { Language } from './languages.ts'
import { isStopWord } from './languages.ts'
import { equivalentsOf } from './equivalents.ts'
import { stem } from './stems.ts'
import { CONCEPTS } from './tool-concepts.ts'
import { GERMAN, SPANISH } from './tool-words-foreign.ts'
import { SAID } from './tool-sayings.ts'
import { CARRYING, NOUNS, PHRASES, VERBS } from './tool-words.ts'

/** What a word found by way of another counts beside the word itself. */
const WEIGHTS = { alike: 0.6, said: 0.7, everyday: 0.4, phrase: 0.9, translated: 0.9 } as const
/** What is done says less of a tool than what it is done to. */
const VERB_WEIGHT = 0.9
const CARRYING_WEIGHT = 0.2
const JOINT_WEIGHT = 0.8
const JOINT_VERB = 0.6
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

export const english = (word: string): string => stem(word, 'en')

const wordList = (text: string): string[] => text.split(/\s+/).filter((word) => word !== '')
const entriesOf = (table: string): string[] => table.split(/[;\n]/).filter((entry) => entry.trim() !== '')

type Table = Map<string, Set<string>>

function addTo(table: Table, key: string, words: Iterable<string>): void {
  const known = table.get(key) ?? new Set()
  table.set(key, known)
  for (const word of words) if (word !== key) known.add(word)
}

function alikeTable(text: string): Table {
  const table: Table = new Map()
  for (const entry of entriesOf(text)) {
    const stems = wordList(entry).map(english)
    for (const one of stems) addTo(table, one, stems)
  }
  return table
}

function sayings(): Table {
  const table: Table = new Map()
  for (const entry of entriesOf(SAID)) {
    const [said = '', meant = ''] = entry.split('>')
    for (const word of wordList(said)) addTo(table, english(word), wordList(meant).map(english))
  }
  for (const { meant, said } of concepts())
    for (const word of said) if (!word.includes('_')) addTo(table, english(word), meant.map(english))
  return table
}

interface Concept {
  readonly meant: readonly string[]
  readonly said: readonly string[]
}

function concepts(): Concept[] {
  return entriesOf(CONCEPTS).map((entry) => {
    const [meant = '', said = ''] = entry.split('<')
    return { meant: wordList(meant), said: wordList(said) }
  })
}

function dictionary(text: string, language: Language): Table {
  const table: Table = new Map()
  for (const entry of entriesOf(text)) {
    const [word = '', ...meant] = wordList(entry)
    addTo(table, stem(word, language), meant.map(english))
  }
  return table
}

interface Phrase {
  readonly words: readonly string[]
  readonly meant: readonly string[]
  /** Whether all that is meant is meant at once, and not one or the other. */
  readonly joint: boolean
}

/** By the stem of the first word. */
function phraseTable(): Map<string, Phrase[]> {
  const table = new Map<string, Phrase[]>()
  const put = (said: readonly string[], meant: readonly string[], joint: boolean): void => {
    const words = said.map(english)
    const [first = ''] = words
    const phrases = table.get(first) ?? []
    table.set(first, phrases)
    phrases.push({ words, meant: meant.map(english), joint })
  }
  for (const entry of entriesOf(PHRASES)) {
    const [said = '', meant = ''] = entry.split('=')
    put(wordList(said), wordList(meant), false)
  }
  for (const { meant, said } of concepts())
    for (const words of said) if (words.includes('_')) put(words.split('_'), meant, true)
  return table
}

const verbs = alikeTable(VERBS)
const nouns = alikeTable(NOUNS)
const said = sayings()
const translations = [
  { language: 'es', table: dictionary(SPANISH, 'es') },
  { language: 'de', table: dictionary(GERMAN, 'de') },
] as const
const phrases = phraseTable()
const carrying = new Set(wordList(CARRYING))

/** These stand apart from their verb: "turn the light off". */
const PARTICLES = new Set(['off', 'on', 'out', 'up', 'down', 'in', 'away', 'back', 'over', 'through'])

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
  stems.forEach((first, start) => {
    for (const phrase of phrases.get(first) ?? []) {
      const places = placesOf(phrase, stems, start, phrase.joint ? Math.min(gap, 3) : gap)
      if (places !== undefined) found.push({ term: phrase.words.join('_'), meant: phrase.meant, joint: phrase.joint, places })
    }
  })
  return found
}

/** What a word means in English, when it is a word of another language. */
export function translated(word: string, language: Language): readonly string[] {
  const out: string[] = []
  for (const { language: other, table } of translations) {
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
  const weight = carrying.has(word) ? CARRYING_WEIGHT : verbs.has(own) && !nouns.has(own) ? VERB_WEIGHT : 1
  return { word, own, forms, weight, known: forms.size > 1 || weight < 1 || isTerm(own) }
}

/** A word as it is, and nothing beside it. */
export function plainTerm(word: string): SoughtTerm {
  const own = english(word)
  return { word, own, forms: new Map([[own, 1]]), weight: 1, known: true }
}

/** What a word such as "which" says about the answer; most common words say nothing. */
export function cueOf(word: string): SoughtTerm | undefined {
  const meant = said.get(english(word))
  if (meant === undefined) return undefined
  return { word, own: '', forms: new Map([...meant].map((term) => [term, 1])), weight: CUE_WEIGHT, known: true }
}

/** What a turn of speech looks for. */
export function phraseTerms({ term, meant, joint }: FoundPhrase): SoughtTerm[] {
  if (joint) return meant.map((word) => ({ word, own: '', forms: new Map([[word, 1]]), weight: verbs.has(word) && !nouns.has(word) ? JOINT_VERB : JOINT_WEIGHT, known: true }))
  const forms = new Map<string, number>(meant.map((word) => [word, WEIGHTS.phrase]))
  return [{ word: term, own: term, forms: forms.set(term, 1), weight: 1, known: true }]
}

/** Whether a word is one for what tools do. */
export const isVerb = (own: string): boolean => verbs.has(own)
