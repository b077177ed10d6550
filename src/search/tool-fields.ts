// What stands in each field of a tool, as the terms that it is found by.

import { detectLanguage, isStopWord } from './languages.ts'
import { stem } from './stems.ts'
import { english } from './tool-tables.ts'
import { phrasesIn, translated } from './tool-vocabulary.ts'
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

/** Long names are no better for being long; where the rest is short, it is about that one thing. */
export const FIELDS = [
  { of: (tool: ToolDocument) => tool.name, weight: 3, shortness: 0.4 },
  { of: (tool: ToolDocument) => tool.summary, weight: 2, shortness: 0.3 },
  { of: (tool: ToolDocument) => tool.category, weight: 1, shortness: 0 },
  { of: parameterText, weight: 0.8, shortness: 0.5 },
  { of: (tool: ToolDocument) => tool.description, weight: 1, shortness: 0.5 },
] as const

/** A schema may be of any size; a tool is known by its beginning. */
const FIELD_CHARS_MAX = 4000

export interface ReadField {
  readonly terms: readonly string[]
  /** As they are written, folded. */
  readonly words: readonly string[]
  /** Words that are no stop words. */
  readonly length: number
}

function parameterText(tool: ToolDocument): string {
  return tool.parameters.map(({ name, description, values }) => `${name} ${description} ${values.join(' ')}`).join('\n')
}

/** Stop words are terms too: they are looked for only when a question has nothing else. */
function readField(text: string): ReadField {
  const sample = text.slice(0, FIELD_CHARS_MAX)
  const found = wordsOf(sample)
  const words = found.filter(({ kind }) => kind !== 'whole').map((word) => word.text)
  const language = detectLanguage(words, sample)
  const stems = words.map(english)
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

const known = new WeakMap<ToolDocument, readonly ReadField[]>()

/** In the order of `FIELDS`. A document that was read before, for another index, is not read again. */
export function fieldsOf(tool: ToolDocument): readonly ReadField[] {
  const before = known.get(tool)
  if (before !== undefined) return before
  const fields = FIELDS.map(({ of }) => readField(of(tool)))
  known.set(tool, fields)
  return fields
}
