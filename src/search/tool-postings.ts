// Which words stand in which tool, and how much each counts there: BM25 over weighted fields (Robertson & Zaragoza 2009, "BM25F").

import { detectLanguage, isStopWord } from './languages.ts'
import { stem } from './stems.ts'
import { phrasesIn, translated } from './tool-vocabulary.ts'
import type { SoughtTerm } from './tool-vocabulary.ts'
import { wordsOf } from './words.ts'

const K1 = 2
/** A word of a common kind ("get", "list") is worth little, but never nothing. */
const RARITY_MIN = 0.2
/** The rarest word is not worth as much more as its rarity says: it is often what the thing is about, not the tool. */
const RARITY_POWER = 0.85
/** What a second form of one word adds, where a tool has both. */
const SECOND_FORM = 0.2
/** A tool with every word of a question gains this share of its score. */
const ALL_WORDS_BOOST = 0.4
/** What is lent of a word that so many tools of a group have. */
const LENT_WEIGHT = 0.7
const LENT_SHARE_MIN = 0.2
const LENDERS_MIN = 2
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

export function createPostings(fields: readonly Field[], groups: readonly string[]): Postings {
  const total = groups.length
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
  const members = Map.groupBy(groups.keys(), (tool) => groups[tool] ?? '')
  for (const [term, known] of counts) {
    const rarity = Math.log(1 + (total - known.size + 0.5) / (known.size + 0.5))
    lend(known, members, groups)
    postings.set(term, {
      tools: [...known.keys()],
      counts: [...known.values()],
      rarity: Math.max(RARITY_MIN, rarity ** RARITY_POWER),
    })
  }
  return { has: (term) => postings.has(term), spellings, score: (terms) => scoreAll(terms, postings, total) }
}

/** What most tools of a group say is what the group is about: those that leave it out are lent a share of it. */
function lend(
  counts: Map<number, number>,
  members: ReadonlyMap<string, readonly number[]>,
  groups: readonly string[],
): void {
  const having = new Map<string, number>()
  for (const tool of counts.keys()) {
    const group = groups[tool] ?? ''
    having.set(group, (having.get(group) ?? 0) + 1)
  }
  for (const [group, count] of having) {
    const tools = members.get(group) ?? []
    const share = count / tools.length
    if (group === '' || count < LENDERS_MIN || share < LENT_SHARE_MIN) continue
    for (const tool of tools) counts.set(tool, (counts.get(tool) ?? 0) + LENT_WEIGHT * share)
  }
}

function scoreAll(terms: readonly SoughtTerm[], postings: ReadonlyMap<string, Posting>, total: number): Float64Array {
  const scores = new Float64Array(total)
  const covered = new Float64Array(total)
  const parts = new Float64Array(total)
  let wanted = 0
  for (const term of terms) {
    const tools = addParts(term, postings, parts)
    if (tools.length > 0) wanted += term.weight
    for (const tool of tools) {
      scores[tool] = (scores[tool] ?? 0) + (parts[tool] ?? 0) * term.weight
      covered[tool] = (covered[tool] ?? 0) + term.weight
      parts[tool] = 0
    }
  }
  if (wanted === 0) return scores
  return scores.map((score, tool) => score * (1 + ALL_WORDS_BOOST * ((covered[tool] ?? 0) / wanted) ** 2))
}

/** Adds what one word of the question is worth to each tool that has a form of it, and returns these tools. */
function addParts({ own, forms }: SoughtTerm, postings: ReadonlyMap<string, Posting>, parts: Float64Array): number[] {
  const found: number[] = []
  // What was not said is never worth more than what was.
  const most = postings.get(own)?.rarity ?? Infinity
  for (const [form, weight] of forms) {
    const posting = postings.get(form)
    if (posting === undefined) continue
    const worth = weight * Math.min(most, posting.rarity) * (K1 + 1)
    const { tools, counts } = posting
    for (let place = 0; place < tools.length; place++) {
      const tool = tools[place] ?? 0
      const count = counts[place] ?? 0
      const gained = (worth * count) / (count + K1)
      const known = parts[tool] ?? 0
      if (known === 0) found.push(tool)
      parts[tool] = Math.max(known, gained) + SECOND_FORM * Math.min(known, gained)
    }
  }
  return found
}
