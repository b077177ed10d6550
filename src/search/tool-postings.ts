// Which words stand in which tool, and how much each counts there: BM25 over weighted fields (Robertson & Zaragoza 2009, "BM25F").

import type { Steps } from '../lib/slices.ts'
import { FIELDS, fieldsOf } from './tool-fields.ts'
import type { ReadField, ToolDocument } from './tool-fields.ts'
import { english } from './tool-tables.ts'
import type { SoughtTerm } from './tool-vocabulary.ts'

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
/** Words that are weighed between two pauses. */
const TERMS_A_STEP = 64

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

/**
 * Reads tools and counts their words.
 * @returns in steps of a few tools or words each
 */
export function* postingsOf(tools: readonly ToolDocument[]): Steps<Postings> {
  const read: (readonly ReadField[])[] = []
  for (const tool of tools) {
    read.push(fieldsOf(tool))
    yield
  }
  const means = FIELDS.map((_, field) => meanLength(read, field))
  const counts = new Map<string, Counts>()
  const spellings = new Map<string, Map<string, string>>()
  for (const [tool, fields] of read.entries()) {
    countTerms(tool, fields, means, counts)
    for (const { words } of fields) for (const word of words) addSpelling(word, spellings)
    yield
  }
  const groups = tools.map(({ category }) => category)
  const members = Map.groupBy(groups.keys(), (tool) => groups[tool] ?? '')
  const postings = new Map<string, Posting>()
  for (const [term, known] of counts) {
    postings.set(term, postingOf(known, members, groups))
    if (postings.size % TERMS_A_STEP === 0) yield
  }
  const { length } = tools
  return { has: (term) => postings.has(term), spellings, score: (terms) => scoreAll(terms, postings, length) }
}

function meanLength(read: readonly (readonly ReadField[])[], field: number): number {
  const total = read.reduce((sum, fields) => sum + (fields[field]?.length ?? 0), 0)
  return Math.max(1, total / Math.max(1, read.length))
}

/** Of one word: the tools that have it, rising, and how much it counts in each. Plain lists, because there are many thousands. */
interface Counts {
  readonly tools: number[]
  readonly counts: number[]
}

function countTerms(
  tool: number,
  fields: readonly ReadField[],
  means: readonly number[],
  all: Map<string, Counts>,
): void {
  FIELDS.forEach(({ weight, shortness }, field) => {
    const { terms, length } = fields[field] ?? { terms: [], length: 0 }
    const gained = weight / (1 - shortness + (shortness * length) / (means[field] ?? 1))
    for (const term of terms) {
      const known = all.get(term) ?? { tools: [], counts: [] }
      if (known.tools.length === 0) all.set(term, known)
      const last = known.tools.length - 1
      if (known.tools[last] === tool) known.counts[last] = (known.counts[last] ?? 0) + gained
      else {
        known.tools.push(tool)
        known.counts.push(gained)
      }
    }
  })
}

function addSpelling(word: string, spellings: Map<string, Map<string, string>>): void {
  const first = word.charAt(0)
  const alike = spellings.get(first) ?? new Map<string, string>()
  spellings.set(first, alike.set(word, english(word)))
}

function postingOf(own: Counts, members: ReadonlyMap<string, readonly number[]>, groups: readonly string[]): Posting {
  const rarity = Math.log(1 + (groups.length - own.tools.length + 0.5) / (own.tools.length + 0.5))
  return { ...withLent(own, members, groups), rarity: Math.max(RARITY_MIN, rarity ** RARITY_POWER) }
}

/** What most tools of a group say is what the group is about: those that leave it out are lent a share of it. */
function withLent(own: Counts, members: ReadonlyMap<string, readonly number[]>, groups: readonly string[]): Counts {
  if (own.tools.length < LENDERS_MIN) return own
  const having = new Map<string, number>()
  for (const tool of own.tools) {
    const group = groups[tool] ?? ''
    having.set(group, (having.get(group) ?? 0) + 1)
  }
  const lenders = [...having].filter(
    ([group, count]) =>
      group !== '' && count >= LENDERS_MIN && count >= LENT_SHARE_MIN * (members.get(group)?.length ?? 0),
  )
  if (lenders.length === 0) return own
  const counts = new Map(own.tools.map((tool, place) => [tool, own.counts[place] ?? 0]))
  for (const [group, count] of lenders) {
    const tools = members.get(group) ?? []
    for (const tool of tools) counts.set(tool, (counts.get(tool) ?? 0) + (LENT_WEIGHT * count) / tools.length)
  }
  return { tools: [...counts.keys()], counts: [...counts.values()] }
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
