// Chooses the stemmer of a language and remembers what it said, since a few thousand words make up most of any text.

import type { Language } from './languages.ts'
import { stemEnglish } from './stemmers/english.ts'
import { dutch, german, swedish } from './stemmers/germanic.ts'
import { french, italian, portuguese, spanish } from './stemmers/romance.ts'
import { stemRussian } from './stemmers/russian.ts'
import { stemByTable } from './stemmers/suffix-rules.ts'

const LATIN_WORD = /^[a-z]{3,}$/
const CYRILLIC_WORD = /^[\u0430-\u045f\u0491]{3,}$/
const REMEMBERED_MAX = 20_000

const byLanguage: Readonly<Record<Language, (word: string) => string>> = {
  en: stemEnglish,
  ru: stemRussian,
  es: (word) => stemByTable(word, spanish),
  de: (word) => stemByTable(word, german),
  fr: (word) => stemByTable(word, french),
  pt: (word) => stemByTable(word, portuguese),
  it: (word) => stemByTable(word, italian),
  nl: (word) => stemByTable(word, dutch),
  sv: (word) => stemByTable(word, swedish),
}

const remembered = new Map<Language, Map<string, string>>()

function remember(word: string, language: Language): string {
  const known = remembered.get(language) ?? new Map<string, string>()
  remembered.set(language, known)
  const found = known.get(word)
  if (found !== undefined) return found
  if (known.size >= REMEMBERED_MAX) known.clear()
  const stemmed = byLanguage[language](word)
  known.set(word, stemmed)
  return stemmed
}

/**
 * The stem of a folded word. The script decides first: Cyrillic words are stemmed as Russian and never as anything else,
 * words with digits or joiners, and words of other scripts, stay as they are.
 */
export function stem(word: string, language: Language): string {
  if (LATIN_WORD.test(word)) return language === 'ru' ? remember(word, 'en') : remember(word, language)
  return CYRILLIC_WORD.test(word) ? remember(word, 'ru') : word
}
