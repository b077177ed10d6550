// Finds tools by what somebody wants to do: BM25 over weighted fields (BM25F), in memory, for a few thousand tools at most.

import { detectLanguage, isStopWord } from './languages.ts'
import { stem } from './stems.ts'
import { correctionsOf } from './tool-spelling.ts'
import { phrasesIn, readQuestion, translated } from './tool-vocabulary.ts'
import type { SoughtTerm } from './tool-vocabulary.ts'
import { wordsOf } from './words.ts'

export interface ToolParameter {
  readonly name: string
  readonly description: string
  readonly values: readonly string[]
}

export interface ToolDocument {
  readonly key: string
  readonly name: string
  readonly category: string
  readonly summary: string
  readonly description: string
  readonly parameters: readonly ToolParameter[]
}

export interface FoundTool {
  readonly key: string
  readonly score: number
}

export interface ToolIndex {
  /** Best first. */
  search(query: string, limit: number): readonly FoundTool[]
}

/** How much a word counts by where it stands, and how much a long field takes from its words (Robertson & Zaragoza 2009). */
const FIELDS = [
  { of: (tool: ToolDocument) => tool.name, weight: 3, shortness: 0.4 },
  { of: (tool: ToolDocument) => tool.summary, weight: 2, shortness: 0.4 },
  { of: (tool: ToolDocument) => tool.category, weight: 1.5, shortness: 0 },
  { of: parameterText, weight: 0.8, shortness: 0.6 },
  { of: (tool: ToolDocument) => tool.description, weight: 1, shortness: 0.5 },
] as const
const K1 = 1.2
/** A word of a common kind ("get", "list") is worth little, but never nothing. */
const RARITY_MIN = 0.2
/** A tool with every word of a question gains this share of its score. */
const ALL_WORDS_BOOST = 0.4
/** A schema may be of any size; a tool is known by its beginning. */
const FIELD_CHARS_MAX = 4000

interface Posting {
  readonly tools: number[]
  /** Weighted frequency, by the place of the tool in `tools`. */
  readonly counts: number[]
}

function parameterText(tool: ToolDocument): string {
  return tool.parameters.map(({ name, description, values }) => `${name} ${description} ${values.join(' ')}`).join('\n')
}

/** Terms of a field in order, stop words as they are. */
function termsOf(text: string): { readonly terms: string[]; readonly words: string[]; readonly length: number } {
  const sample = text.slice(0, FIELD_CHARS_MAX)
  const found = wordsOf(sample)
  const words = found.filter(({ kind }) => kind !== 'whole').map((word) => word.text)
  const language = detectLanguage(words, sample)
  const stems = words.map((word) => stem(word, 'en'))
  const terms = found.filter(({ kind }) => kind === 'whole').map((word) => word.text)
  let length = 0
  words.forEach((word, place) => {
    terms.push(stems[place] ?? word)
    if (!isStopWord(word, language)) length++
    if (language === 'en') return
    const own = stem(word, language)
    if (own !== stems[place]) terms.push(own)
    terms.push(...translated(word, language))
  })
  for (const phrase of phrasesIn(stems, 0)) terms.push(phrase.term, ...phrase.meant.slice(0, 1))
  return { terms, words, length }
}

export function createToolIndex(documents: readonly ToolDocument[]): ToolIndex {
  const tools = documents.toSorted((a, b) => compareText(a.key, b.key))
  const postings = new Map<string, Posting>()
  const spellings = new Map<string, string>()
  for (const field of FIELDS) {
    const read = tools.map((tool) => termsOf(field.of(tool)))
    const mean = Math.max(1, read.reduce((sum, { length }) => sum + length, 0) / Math.max(1, tools.length))
    read.forEach(({ terms, words, length }, tool) => {
      const weight = field.weight / (1 - field.shortness + (field.shortness * length) / mean)
      for (const term of terms) addPosting(postings, term, tool, weight)
      for (const word of words) spellings.set(word, stem(word, 'en'))
    })
  }
  return {
    search(query, limit) {
      const question = readQuestion(query, (term) => postings.has(term))
      const terms = question.terms.map((term) => withCorrections(term, postings, spellings))
      const scores = scoreAll(terms, postings, tools.length)
      const found = scores.some((score) => score > 0)
        ? scores
        : scoreAll(question.rest.map(plainTerm), postings, tools.length)
      return best(found, tools, limit)
    },
  }
}

const plainTerm = (word: string): SoughtTerm => ({
  word,
  forms: new Map([[stem(word, 'en'), 1]]),
  weight: 1,
  known: true,
})

function addPosting(postings: Map<string, Posting>, term: string, tool: number, weight: number): void {
  const posting = postings.get(term) ?? { tools: [], counts: [] }
  postings.set(term, posting)
  const place = posting.tools.lastIndexOf(tool)
  if (place === -1) {
    posting.tools.push(tool)
    posting.counts.push(weight)
  } else posting.counts[place] = (posting.counts[place] ?? 0) + weight
}

function withCorrections(
  term: SoughtTerm,
  postings: ReadonlyMap<string, Posting>,
  spellings: ReadonlyMap<string, string>,
): SoughtTerm {
  if (term.known || [...term.forms.keys()].some((form) => postings.has(form))) return term
  const forms = new Map(term.forms)
  for (const { word, weight } of correctionsOf(term.word, spellings.keys())) {
    const corrected = spellings.get(word) ?? word
    if ((forms.get(corrected) ?? 0) < weight) forms.set(corrected, weight)
  }
  return { ...term, forms }
}

function rarityOf(posting: Posting | undefined, total: number): number {
  const found = posting?.tools.length ?? 0
  return Math.max(RARITY_MIN, Math.log(1 + (total - found + 0.5) / (found + 0.5)))
}

function scoreAll(terms: readonly SoughtTerm[], postings: ReadonlyMap<string, Posting>, total: number): Float64Array {
  const scores = new Float64Array(total)
  const covered = new Float64Array(total)
  const part = new Float64Array(total)
  let wanted = 0
  for (const term of terms) {
    part.fill(0)
    let most = 0
    for (const [form, weight] of term.forms) {
      const posting = postings.get(form)
      if (posting === undefined) continue
      const worth = weight * rarityOf(posting, total)
      most = Math.max(most, worth)
      posting.tools.forEach((tool, place) => {
        const count = posting.counts[place] ?? 0
        const gained = (worth * count * (K1 + 1)) / (count + K1)
        if (gained > (part[tool] ?? 0)) part[tool] = gained
      })
    }
    if (most === 0) continue
    wanted += term.weight
    part.forEach((gained, tool) => {
      if (gained === 0) return
      scores[tool] = (scores[tool] ?? 0) + gained * term.weight
      covered[tool] = (covered[tool] ?? 0) + term.weight
    })
  }
  if (wanted === 0) return scores
  return scores.map((score, tool) => score * (1 + ALL_WORDS_BOOST * ((covered[tool] ?? 0) / wanted) ** 2))
}

function best(scores: Float64Array, tools: readonly ToolDocument[], limit: number): FoundTool[] {
  const found: FoundTool[] = []
  scores.forEach((score, place) => {
    const tool = tools[place]
    if (score > 0 && tool !== undefined) found.push({ key: tool.key, score: Math.round(score * 1e6) / 1e6 })
  })
  // The tools are in the order of their keys, and the sort is stable.
  return found.sort((a, b) => b.score - a.score).slice(0, Math.max(0, Math.trunc(limit) || 0))
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
