// Names the language of a text by its script and by a vote of its stop words. Cheap, deterministic, and English when in doubt.

import { framingWords, stopWords } from './stop-words.ts'
import type { Language } from './stop-words.ts'

export type { Language } from './stop-words.ts'

/** Words of a text that vote. */
const VOTERS_MAX = 300
/** A language other than English needs this many votes, and more than English has. */
const VOTES_MIN = 2

/** Letters that only some languages write; each kind found counts as votes. Matched before diacritics are folded. */
const TELLING: readonly (readonly [pattern: RegExp, languages: readonly Language[]])[] = [
  [/[ñ¿¡]/i, ['es']],
  [/[ßäöü]/i, ['de']],
  [/[ãõ]/i, ['pt']],
  [/[êœ]|[çèàùû]/i, ['fr']],
  [/[èàùìò]/i, ['it']],
  [/[åä]/i, ['sv']],
]

const CYRILLIC = /\p{Script=Cyrillic}/u
const LATIN = /[a-z]/

const speakers = new Map<string, Language[]>()
for (const [language, words] of Object.entries(stopWords)) {
  for (const word of words) {
    const list = speakers.get(word) ?? []
    // Object.entries loses the key type; stopWords is a Record<Language, …>.
    if (isLanguage(language)) list.push(language)
    speakers.set(word, list)
  }
}

function isLanguage(name: string): name is Language {
  return name in stopWords
}

/** True for words that this language's searches leave out. */
export function isStopWord(word: string, language: Language): boolean {
  return stopWords[language].has(word)
}

/** True for English words that say what is asked, not what the answer is about. */
export function framesQuestion(word: string): boolean {
  return framingWords.has(word)
}

/**
 * The language of a text.
 * @param words its folded words
 * @param raw the text before folding, for the letters that tell languages apart
 */
export function detectLanguage(words: readonly string[], raw: string): Language {
  const votes = new Map<Language, number>()
  let cyrillic = 0
  let latin = 0
  const voters = words.length > VOTERS_MAX ? words.slice(0, VOTERS_MAX) : words
  for (const word of voters) {
    for (const language of speakers.get(word) ?? []) votes.set(language, (votes.get(language) ?? 0) + 1)
    if (CYRILLIC.test(word)) cyrillic++
    else if (LATIN.test(word)) latin++
  }
  if (cyrillic > latin) return 'ru'
  return winner(votes, raw)
}

function winner(votes: Map<Language, number>, raw: string): Language {
  const sample = raw.slice(0, 2000)
  for (const [pattern, languages] of TELLING) {
    if (pattern.test(sample)) for (const language of languages) votes.set(language, (votes.get(language) ?? 0) + 1)
  }
  let best: Language = 'en'
  let most = Math.max(votes.get('en') ?? 0, VOTES_MIN - 1)
  for (const [language, count] of votes) {
    if (count <= most || language === 'en') continue
    best = language
    most = count
  }
  return best
}
