// The tables of words, turned once from how they are written into what is looked up. Made on first use, in steps.

import { atOnce } from '../lib/slices.ts'
import type { Steps } from '../lib/slices.ts'
import type { Language } from './languages.ts'
import { stem } from './stems.ts'
import { CONCEPTS } from './tool-concepts.ts'
import { SAID } from './tool-sayings.ts'
import { GERMAN, SPANISH } from './tool-words-foreign.ts'
import { CARRYING, NOUNS, PHRASES, VERBS, WHENS } from './tool-words.ts'

/** Stem → stems. */
export type Table = ReadonlyMap<string, ReadonlySet<string>>

export interface Phrase {
  readonly words: readonly string[]
  readonly meant: readonly string[]
  /** Whether all that is meant is meant at once, and not one or the other. */
  readonly joint: boolean
}

export interface Tables {
  readonly verbs: Table
  readonly nouns: Table
  readonly said: Table
  readonly translations: readonly { readonly language: Language; readonly table: Table }[]
  /** By the stem of the first word. */
  readonly phrases: ReadonlyMap<string, readonly Phrase[]>
  readonly carrying: ReadonlySet<string>
  /** Stems of days and times. */
  readonly whens: ReadonlySet<string>
}

/** Words that only look like a form of another: who changes a setting sets none. */
const OWN_STEMS: ReadonlyMap<string, string> = new Map([
  ['setting', 'settings'],
  ['settings', 'settings'],
])

/** A word as tools and questions about them are compared by it. */
export const english = (word: string): string => OWN_STEMS.get(word) ?? stem(word, 'en')

const wordList = (text: string): string[] => text.split(/\s+/).filter((word) => word !== '')
const entriesOf = (table: string): string[] => table.split(/[;\n]/).filter((entry) => entry.trim() !== '')

type Growing = Map<string, Set<string>>

function addTo(table: Growing, key: string, words: Iterable<string>): void {
  const known = table.get(key) ?? new Set()
  table.set(key, known)
  for (const word of words) if (word !== key) known.add(word)
}

function* alikeTable(text: string): Steps<Table> {
  const table: Growing = new Map()
  for (const entry of entriesOf(text)) {
    const stems = wordList(entry).map(english)
    for (const one of stems) addTo(table, one, stems)
    yield
  }
  return table
}

/** Both sides of an entry, as lists of words. */
function halvesOf(entry: string, sign: string): readonly [string[], string[]] {
  const [left = '', right = ''] = entry.split(sign)
  return [wordList(left), wordList(right)]
}

function* sayings(): Steps<Table> {
  const table: Growing = new Map()
  for (const entry of entriesOf(SAID)) {
    const [said, meant] = halvesOf(entry, '>')
    for (const word of said) addTo(table, english(word), meant.map(english))
    yield
  }
  for (const entry of entriesOf(CONCEPTS)) {
    const [meant, said] = halvesOf(entry, '<')
    for (const word of said) if (!word.includes('_')) addTo(table, english(word), meant.map(english))
    yield
  }
  return table
}

function* dictionary(text: string, language: Language): Steps<Table> {
  const table: Growing = new Map()
  for (const entry of entriesOf(text)) {
    const [word = '', ...meant] = wordList(entry)
    addTo(table, stem(word, language), meant.map(english))
    yield
  }
  return table
}

function* phraseTable(): Steps<Map<string, Phrase[]>> {
  const table = new Map<string, Phrase[]>()
  const put = (said: readonly string[], meant: readonly string[], joint: boolean): void => {
    const words = said.map(english)
    const [first = ''] = words
    const phrases = table.get(first) ?? []
    table.set(first, phrases)
    phrases.push({ words, meant: meant.map(english), joint })
  }
  for (const entry of entriesOf(PHRASES)) {
    put(...halvesOf(entry, '='), false)
    yield
  }
  for (const entry of entriesOf(CONCEPTS)) {
    const [meant, said] = halvesOf(entry, '<')
    for (const words of said) if (words.includes('_')) put(words.split('_'), meant, true)
    yield
  }
  return table
}

function* tableSteps(): Steps<Tables> {
  return {
    verbs: yield* alikeTable(VERBS),
    nouns: yield* alikeTable(NOUNS),
    said: yield* sayings(),
    translations: [
      { language: 'es', table: yield* dictionary(SPANISH, 'es') },
      { language: 'de', table: yield* dictionary(GERMAN, 'de') },
    ],
    phrases: yield* phraseTable(),
    carrying: new Set(wordList(CARRYING)),
    whens: new Set(wordList(WHENS).map(english)),
  }
}

let made: Tables | undefined

/** Makes them at once where nobody has yet. */
export function tables(): Tables {
  made ??= atOnce(tableSteps())
  return made
}

/** Makes them where nobody has yet. */
export function* vocabularySteps(): Steps<void> {
  if (made === undefined) {
    const fresh = yield* tableSteps()
    made ??= fresh
  }
}
