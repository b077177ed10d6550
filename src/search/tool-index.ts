// Finds tools by what somebody wants to do: in memory, for a few thousand tools at most.

import { atOnce, inSlices } from '../lib/slices.ts'
import type { Steps } from '../lib/slices.ts'
import { compose, fold } from './fold.ts'
import { answerOfTool } from './tool-answers.ts'
import type { Answer } from './tool-answers.ts'
import type { ToolDocument } from './tool-fields.ts'
import { intentOfTool } from './tool-intents.ts'
import type { Intent } from './tool-intents.ts'
import { postingsOf } from './tool-postings.ts'
import type { Postings } from './tool-postings.ts'
import { readQuestion } from './tool-question.ts'
import type { Question } from './tool-question.ts'
import { correctionsOf } from './tool-spelling.ts'
import { vocabularySteps } from './tool-tables.ts'
import { plainTerm } from './tool-vocabulary.ts'
import type { SoughtTerm } from './tool-vocabulary.ts'

export interface FoundTool {
  readonly key: string
  readonly score: number
}

export interface ToolIndex {
  /** Best first. */
  search(query: string, limit: number): readonly FoundTool[]
}

/** What a tool keeps of its score when it does another kind of thing than was asked for. */
const OTHER_INTENT = 0.8
/** The same, when something was asked that only reading answers. */
const OTHER_THAN_READING = 0.5
/** What a tool gains that gives the kind of answer that is wanted. */
const ANSWER_BOOST = 0.15
/** Words of one question that are looked for among all words there are. */
const CORRECTED_WORDS_MAX = 8

const folded = (text: string): string => fold(compose(text)).trim()

/** Made at once: for a few tools, or where nothing else has to go on. */
export function createToolIndex(documents: readonly ToolDocument[]): ToolIndex {
  return atOnce(indexSteps(documents))
}

/**
 * Made in slices, between which the process does what else it has to do.
 * @param isWanted asked before each slice
 * @returns undefined where it was no longer wanted
 */
export function buildToolIndex(
  documents: readonly ToolDocument[],
  isWanted?: () => boolean,
): Promise<ToolIndex | undefined> {
  return inSlices(indexSteps(documents), isWanted)
}

function* indexSteps(documents: readonly ToolDocument[]): Steps<ToolIndex> {
  yield* vocabularySteps()
  const tools = documents.toSorted((a, b) => compareText(a.key, b.key))
  const postings = yield* postingsOf(tools)
  const kinds: ToolKinds[] = []
  for (const tool of tools) {
    kinds.push({ intents: intentOfTool(tool), answer: answerOfTool(tool.name) })
    yield
  }
  const named = Map.groupBy(tools.keys(), (place) => folded(tools[place]?.name ?? ''))
  return {
    search(query, limit) {
      const question = readQuestion(query, (term) => postings.has(term))
      let scores = postings.score(corrected(question.terms, postings))
      if (scores.every((score) => score === 0)) scores = postings.score(question.rest.map(plainTerm))
      fitKinds(scores, question, kinds)
      const top = scores.reduce((most, score) => Math.max(most, score), 0)
      for (const place of named.get(folded(query)) ?? []) scores[place] = (scores[place] ?? 0) + top
      return best(scores, tools, limit)
    },
  }
}

/** What a tool does, and what it answers with. */
interface ToolKinds {
  readonly intents: ReadonlySet<Intent>
  readonly answer: Answer | undefined
}

/** Words that nothing knows, with what they may have been meant to be. */
function corrected(terms: readonly SoughtTerm[], postings: Postings): SoughtTerm[] {
  let left = CORRECTED_WORDS_MAX
  return terms.map((term) => {
    if (term.known || left === 0) return term
    left--
    const spellings = postings.spellings.get(term.word.charAt(0))
    if (spellings === undefined) return term
    const forms = new Map(term.forms)
    for (const { word, weight } of correctionsOf(term.word, spellings.keys())) {
      const form = spellings.get(word) ?? word
      if ((forms.get(form) ?? 0) < weight) forms.set(form, weight)
    }
    return { ...term, forms }
  })
}

function fitKinds(scores: Float64Array, { intents, asks, answers }: Question, kinds: readonly ToolKinds[]): void {
  const kept = asks ? OTHER_THAN_READING : OTHER_INTENT
  kinds.forEach((own, tool) => {
    let share = 1
    if (intents.size > 0 && own.intents.size > 0 && ![...own.intents].some((one) => intents.has(one))) share = kept
    if (own.answer !== undefined && answers.has(own.answer)) share *= 1 + ANSWER_BOOST
    scores[tool] = (scores[tool] ?? 0) * share
  })
}

function best(scores: Float64Array, tools: readonly ToolDocument[], limit: number): FoundTool[] {
  const found: FoundTool[] = []
  scores.forEach((score, place) => {
    const tool = tools[place]
    if (score > 0 && tool !== undefined) found.push({ key: tool.key, score: Math.round(score * 1e6) / 1e6 })
  })
  // The tools are in the order of their keys, and the sort is stable.
  return found.toSorted((a, b) => b.score - a.score).slice(0, Math.max(0, Math.trunc(limit) || 0))
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
