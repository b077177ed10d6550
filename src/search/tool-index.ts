// Finds tools by what somebody wants to do: in memory, for a few thousand tools at most.

import { compose, fold } from './fold.ts'
import { answersOfQuestion, answerOfTool } from './tool-answers.ts'
import { intentOfTool } from './tool-intents.ts'
import type { Intent } from './tool-intents.ts'
import { createPostings } from './tool-postings.ts'
import type { Postings } from './tool-postings.ts'
import { readQuestion } from './tool-question.ts'
import type { Question } from './tool-question.ts'
import { correctionsOf } from './tool-spelling.ts'
import { plainTerm } from './tool-vocabulary.ts'
import type { SoughtTerm } from './tool-vocabulary.ts'

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

/** Long names are no better for being long; where the rest is short, it is about that one thing. */
const FIELDS = [
  { of: (tool: ToolDocument) => tool.name, weight: 3, shortness: 0.4 },
  { of: (tool: ToolDocument) => tool.summary, weight: 2, shortness: 0.3 },
  { of: (tool: ToolDocument) => tool.category, weight: 1, shortness: 0 },
  { of: parameterText, weight: 0.8, shortness: 0.5 },
  { of: (tool: ToolDocument) => tool.description, weight: 1, shortness: 0.5 },
] as const
/** What a tool keeps of its score when it does another kind of thing than was asked for. */
const OTHER_INTENT = 0.8
/** The same, when something was asked that only reading answers. */
const OTHER_THAN_READING = 0.5
const ANSWER_BOOST = 0.15
/** Words of one question that are looked for among all words there are. */
const CORRECTED_WORDS_MAX = 8

function parameterText(tool: ToolDocument): string {
  return tool.parameters.map(({ name, description, values }) => `${name} ${description} ${values.join(' ')}`).join('\n')
}

const folded = (text: string): string => fold(compose(text)).trim()

export function createToolIndex(documents: readonly ToolDocument[]): ToolIndex {
  const tools = documents.toSorted((a, b) => compareText(a.key, b.key))
  const fields = FIELDS.map(({ of, weight, shortness }) => ({ texts: tools.map(of), weight, shortness }))
  const postings = createPostings(
    fields,
    tools.map(({ category }) => category),
  )
  const intents = tools.map(intentOfTool)
  const answers = tools.map(({ name }) => answerOfTool(name))
  const named = Map.groupBy(tools.keys(), (place) => folded(tools[place]?.name ?? ''))
  return {
    search(query, limit) {
      const question = readQuestion(query, (term) => postings.has(term))
      let scores = postings.score(corrected(question.terms, postings))
      if (scores.every((score) => score === 0)) scores = postings.score(question.rest.map(plainTerm))
      fitIntents(scores, question, intents)
      const wanted = answersOfQuestion(query)
      answers.forEach((answer, place) => {
        if (answer !== undefined && wanted.has(answer)) scores[place] = (scores[place] ?? 0) * (1 + ANSWER_BOOST)
      })
      const top = scores.reduce((most, score) => Math.max(most, score), 0)
      for (const place of named.get(folded(query)) ?? []) scores[place] = (scores[place] ?? 0) + top
      return best(scores, tools, limit)
    },
  }
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

function fitIntents(scores: Float64Array, question: Question, intents: readonly ReadonlySet<Intent>[]): void {
  if (question.intents.size === 0) return
  const kept = question.asks ? OTHER_THAN_READING : OTHER_INTENT
  intents.forEach((own, tool) => {
    if (own.size > 0 && ![...own].some((intent) => question.intents.has(intent)))
      scores[tool] = (scores[tool] ?? 0) * kept
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
