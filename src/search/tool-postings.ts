// Which words stand in which tool, and how much each counts there: BM25 over weighted fields (Robertson & Zaragoza 2009, "BM25F").

import { detectLanguage, isStopWord } from './languages.ts'
import { stem } from './stems.ts'
import { phrasesIn, translated } from './tool-vocabulary.ts'
import type { SoughtTerm } from './tool-vocabulary.ts'
import { wordsOf } from './words.ts'

const K1 = 1.5
/** A word of a common kind ("get", "list") is worth little, but never nothing. */
const RARITY_MIN = 0.2
/** What a second form of one word adds, where a tool has both. */
const SECOND_FORM = 0.25
/** A tool with every word of a question gains this share of its score. */
const ALL_WORDS_BOOST = 0.3
/** A schema may be of any size; a tool is known by its beginning. */
const FIELD_CHARS_MAX = 4000

/** One field of all tools, in the order of the tools. */
export interface Field {
  readonly texts: readonly string[]
  /** How much a word counts by standing here. */
  readonly weight: number
  /** How much a word loses in a field longer than most, from 0 to 1. */
  readonly shortness: number
}

export interface Postings {
  has(term: string): boolean
  /** Words as they are written, each with its term, by their first letter. */
  readonly spellings: ReadonlyMap<string, ReadonlyMap<string, string>>
  /** What each tool is worth to the terms, in the order of the tools; 0 without any of them. */
  score(terms: readonly SoughtTerm[]): Float64Array
}

interface Posting {
  readonly tools: readonly number[]
  /** Weighted frequency in each of the tools. */
  readonly counts: readonly number[]
  readonly rarity: number
}

interface ReadField {
  readonly terms: readonly string[]
  readonly words: readonly string[]
  readonly length: number
}

/** Stop words are terms too: they are looked for only when a question has nothing else. */
function readField(text: string): ReadField {
  const sample = text.slice(0, FIELD_CHARS_MAX)
  const found = wordsOf(sample)
  const words = found.filter(({ kind }) => kind !== 'whole').map((word) => word.text)
  const language = detectLanguage(words, sample)
  const stems = words.map((word) => stem(word, 'en'))
  const terms = found.filter(({ kind }) => kind === 'whole').map((word) => word.text)
  let length = 0
  words.forEach((word, place) => {
    const own = stem(word, language)
    terms.push(stems[place] ?? word)
    if (!isStopWord(word, language)) length++
    if (language === 'en') return
    if (own !== stems[place]) terms.push(own)
    terms.push(...translated(word, language))
  })
  for (const phrase of phrasesIn(stems, 0)) terms.push(phrase.term, ...phrase.meant.slice(0, 1))
  return { terms, words, length }
}

export function createPostings(fields: readonly Field[], total: number): Postings {
  const counts = new Map<string, Map<number, number>>()
  const spellings = new Map<string, Map<string, string>>()
  for (const { texts, weight, shortness } of fields) {
    const read = texts.map(readField)
    const mean = Math.max(1, read.reduce((sum, { length }) => sum + length, 0) / Math.max(1, total))
    read.forEach(({ terms, words, length }, tool) => {
      const gained = weight / (1 - shortness + (shortness * length) / mean)
      for (const term of terms) {
        const known = counts.get(term) ?? new Map<number, number>()
        counts.set(term, known.set(tool, (known.get(tool) ?? 0) + gained))
      }
      for (const word of words) {
        const alike = spellings.get(word.charAt(0)) ?? new Map<string, string>()
        spellings.set(word.charAt(0), alike.set(word, stem(word, 'en')))
      }
    })
  }
  const postings = new Map<string, Posting>()
  for (const [term, known] of counts) {
    const rarity = Math.log(1 + (total - known.size + 0.5) / (known.size + 0.5))
    postings.set(term, {
      tools: [...known.keys()],
      counts: [...known.values()],
      rarity: Math.max(RARITY_MIN, rarity),
    })
  }
  return { has: (term) => postings.has(term), spellings, score: (terms) => scoreAll(terms, postings, total) }
}

function scoreAll(terms: readonly SoughtTerm[], postings: ReadonlyMap<string, Posting>, total: number): Float64Array {
  const scores = new Float64Array(total)
  const covered = new Float64Array(total)
  let wanted = 0
  for (const term of terms) {
    const parts = partsOf(term, postings)
    if (parts.size === 0) continue
    wanted += term.weight
    for (const [tool, gained] of parts) {
      scores[tool] = (scores[tool] ?? 0) + gained * term.weight
      covered[tool] = (covered[tool] ?? 0) + term.weight
    }
  }
  if (wanted === 0) return scores
  return scores.map((score, tool) => score * (1 + ALL_WORDS_BOOST * ((covered[tool] ?? 0) / wanted) ** 2))
}

/** What one word of the question adds to each tool that has a form of it. */
function partsOf({ own, forms }: SoughtTerm, postings: ReadonlyMap<string, Posting>): Map<number, number> {
  const parts = new Map<number, number>()
  // What was not said is never worth more than what was.
  const most = postings.get(own)?.rarity ?? Infinity
  for (const [form, weight] of forms) {
    const posting = postings.get(form)
    if (posting === undefined) continue
    const worth = weight * Math.min(most, posting.rarity) * (K1 + 1)
    posting.tools.forEach((tool, place) => {
      const count = posting.counts[place] ?? 0
      const gained = (worth * count) / (count + K1)
      const known = parts.get(tool) ?? 0
      parts.set(tool, Math.max(known, gained) + SECOND_FORM * Math.min(known, gained))
    })
  }
  return parts
}
