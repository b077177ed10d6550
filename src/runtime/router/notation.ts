// A tool as one line of a category's description, computed from its schema: what a model needs for a right first call, in as
// few tokens as carry it. `GRAMMAR` is the key to it and stands above every list.
import { isRecord } from '../../lib/json.ts'
import type { CompiledTool } from '../compiled.ts'
import { likenessOf } from '../schema/text-patterns.ts'
import type { Field, NumberShape, Shape, StringShape } from '../schema/shape.ts'

/** How to read a line. */
export const GRAMMAR = 'needed [optional]: untyped string, *id int, 1-9 range, a|b one of'
/** And how to read a list of them: what has been said once is not said again. */
export const LIST_GRAMMAR = `${GRAMMAR}; types hold below`

/** Optional choices with more values than this are named by discovery only. */
const OPTIONAL_CHOICES_MAX = 8

const TYPES_OF_JSON: Readonly<Record<string, string>> = {
  integer: 'int',
  number: 'num',
  boolean: 'bool',
  array: 'list',
  object: 'obj',
}

/** `store_memory content [category tags importance:1-10]`, a summary behind it only where the name does not say it. */
export function lineOf(tool: CompiledTool, category: string, said: Types = new Map()): string {
  const name = shortName(tool.name, category)
  const parameters = tool.isForeign ? foreignParameters(tool.definition.inputSchema, said) : parametersOf(tool, said)
  const { summary } = tool.declaration
  const note = tool.isForeign || isSaid(summary, name) ? '' : ` - ${firstWords(summary)}`
  return [name, ...parameters].join(' ') + note
}

/** Lines of one list, a type only where it differs from what the lines before said of that name. */
export function linesOf(tools: readonly CompiledTool[], category: string): string[] {
  const said: Types = new Map()
  return tools.map((tool) => lineOf(tool, category, said))
}

/** What earlier lines showed, by name of the parameter. */
type Types = Map<string, string>

const SUMMARY_WORDS_MAX = 6
const firstWords = (text: string): string => text.split(/\s+/).slice(0, SUMMARY_WORDS_MAX).join(' ')

/** Inside its own category a name goes without the category's: `feed` for `media_feed`. */
export function shortName(name: string, category: string): string {
  const own = `${category.replaceAll('-', '_')}_`
  return name.startsWith(own) ? name.slice(own.length) : name
}

function parametersOf(tool: CompiledTool, said: Types): readonly string[] {
  const { fields } = tool.shape
  const either = tool.oneOf ?? []
  const text = (field: Field): string => parameterOf(field, field.required || either.includes(field.name), said)
  const needed = fields.filter((field) => field.required && !either.includes(field.name)).map(text)
  const alternatives = fields.filter(({ name }) => either.includes(name)).map(text)
  const optional = fields.filter((field) => !field.required && !either.includes(field.name)).map(text)
  return [
    ...needed,
    ...(alternatives.length === 0 ? [] : [alternatives.join('|')]),
    ...(optional.length === 0 ? [] : [`[${optional.join(' ')}]`]),
  ]
}

function parameterOf({ name, shape }: Pick<Field, 'name' | 'shape'>, required: boolean, said: Types): string {
  return carried(name, { whole: typeOf(name, shape, true), shown: typeOf(name, shape, required) }, said)
}

/** The name alone where the lines above showed this very type, or all of it and more. */
function carried(name: string, { whole, shown }: { whole: string; shown: string }, said: Types): string {
  const above = said.get(name) ?? ''
  if (above === whole || above === shown) return name
  said.set(name, shown)
  return `${name}:${shown === '' ? (isIdName(name) ? 'int' : 'str') : shown}`
}

/** A bound that an ordinary text would pass. */
export const SHORT_CHARS = 32

const isIdName = (name: string): boolean => name === 'id' || name.endsWith('_id')

/** Empty where the name alone says it. */
function typeOf(name: string, shape: Shape, required: boolean): string {
  switch (shape.kind) {
    case 'string':
      return stringType(name, shape)
    case 'number':
      return numberType(name, shape)
    case 'boolean':
      return 'bool'
    case 'choice':
      return choiceType(shape.values, required)
    case 'array':
      return listType(shape.items)
    case 'object':
      return objectType(shape)
    case 'record':
      return 'obj'
    case 'union':
      return simplest(shape.options.map((option) => typeOf(name, option, required)))
    default:
      return 'any'
  }
}

/** Whoever sends the simplest of several accepted types is right. */
function simplest(types: readonly string[]): string {
  return types.toSorted((one, other) => one.length - other.length)[0] ?? 'any'
}

function stringType(name: string, { min, max, format, pattern }: StringShape): string {
  if (format !== undefined) return format
  const likeness = pattern === undefined ? undefined : likenessOf(pattern)
  if (likeness !== undefined) return likeness
  if (min > 1 || max <= SHORT_CHARS) return `${rangeOf(Math.max(min, 1), max)} chars`
  return isIdName(name) ? 'str' : ''
}

function numberType(name: string, shape: NumberShape): string {
  const low = Math.max(shape.min, shape.above + (shape.integer ? 1 : 0))
  const high = Math.min(shape.max, shape.below - (shape.integer ? 1 : 0))
  // An id is positive whether its schema says so or not.
  if (shape.integer && isIdName(name) && high >= FAR) return ''
  const range = rangeOf(low, high)
  if (shape.integer) return range === '' ? 'int' : range
  return range === '' ? 'num' : `num ${range}`
}

/** A bound this far off is none that anybody comes near by accident. */
const FAR = 2_000

/** `1-10`, `1+`, or nothing where both bounds are far off. */
function rangeOf(low: number, high: number): string {
  if (high < FAR) return low > -FAR ? `${low}-${high}` : `up to ${high}`
  return low > -FAR ? `${low}+` : ''
}

function choiceType(values: readonly unknown[], required: boolean): string {
  const written = values.map(String).filter((value) => value !== '')
  return (required ? written : written.slice(0, OPTIONAL_CHOICES_MAX)).join('|')
}

function listType(items: Shape): string {
  if (items.kind === 'number' && items.integer) return 'ints'
  const of = typeOf('', items, true)
  return of === '' ? 'list' : `list of ${of}`
}

function objectType({ fields }: Extract<Shape, { kind: 'object' }>): string {
  const needed = fields.filter(({ required }) => required)
  return needed.length === 0 ? 'obj' : `{${needed.map((field) => parameterOf(field, true, new Map())).join(' ')}}`
}

/** What a foreign schema says of its first level; the rest is for discovery. */
function foreignParameters(schema: Readonly<Record<string, unknown>>, said: Types): readonly string[] {
  const { properties, required } = schema
  if (!isRecord(properties)) return []
  const needed = new Set(Array.isArray(required) ? required : [])
  const text = ([name, child]: [string, unknown]): string => {
    const inner = isRecord(child) ? child : {}
    const types = { whole: foreignType(name, inner, true), shown: foreignType(name, inner, needed.has(name)) }
    return carried(oneWord(name), types, said)
  }
  const entries = Object.entries(properties)
  const first = entries.filter(([name]) => needed.has(name)).map(text)
  const optional = entries.filter(([name]) => !needed.has(name)).map(text)
  return [...first, ...(optional.length === 0 ? [] : [`[${optional.join(' ')}]`])]
}

function foreignType(name: string, schema: Record<string, unknown>, required: boolean): string {
  if (Array.isArray(schema['enum'])) return foreignChoice(schema['enum'], required)
  const { type, minimum, maximum } = schema
  if (type === 'string' || type === undefined) return isIdName(name) ? 'str' : ''
  if ((type === 'integer' || type === 'number') && typeof minimum === 'number' && typeof maximum === 'number')
    return `${type === 'number' ? 'num ' : ''}${minimum}-${maximum}`
  if (type === 'integer' && isIdName(name)) return ''
  return typeof type === 'string' && Object.hasOwn(TYPES_OF_JSON, type) ? (TYPES_OF_JSON[type] ?? 'any') : 'any'
}

const PLAIN_WORD = /^[^\s\p{C}[\]{}|:"]{0,64}$/u
const WORD_CHARS_MAX = 64
const FOREIGN_CHOICES_MAX = 64

/** Longer choices are no words of a line; discovery has them. Objects are left out: one of a stranger may have a `toString` that is none. */
function foreignChoice(values: readonly unknown[], required: boolean): string {
  const plain = values.filter((value) => typeof value !== 'object' || value === null).slice(0, FOREIGN_CHOICES_MAX)
  const written = plain.map(String).filter((value) => value !== '')
  return written.some(({ length }) => length > WORD_CHARS_MAX) ? 'any' : choiceType(written.map(oneWord), required)
}

/** A foreign name could spell the end of its line, and after it a line of ours: what is no word is quoted, on one line. */
function oneWord(name: string): string {
  if (name !== '' && PLAIN_WORD.test(name)) return name
  const cut = name.length > WORD_CHARS_MAX ? `${name.slice(0, WORD_CHARS_MAX)}…` : name
  return JSON.stringify(cut.toWellFormed().replaceAll(/[\p{Zl}\p{Zp}\p{C}]+/gu, ' '))
}

/** Single words that say it already. */
const PLAIN = new Set(['get', 'inbox', 'list', 'search', 'settings', 'stats', 'status'])

const STOP_WORDS = new Set('a an the of in on to by or and for with one its what your from all at own'.split(' '))

/** Whether a name says what the summary does: it names an object beside its verb, or has a word of the summary. */
function isSaid(summary: string, name: string): boolean {
  if (PLAIN.has(name) || /[._]/.test(name)) return true
  const words = summary
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '' && !STOP_WORDS.has(word))
  return words.some((word) => isAlike(word, name))
}

const ALIKE_CHARS_MIN = 3

/** `memories` and `memory`, `listing` and `list`. */
function isAlike(word: string, part: string): boolean {
  if (word === part) return true
  const shared = Math.min(word.length, part.length) - 1
  return shared >= ALIKE_CHARS_MIN && word.slice(0, shared) === part.slice(0, shared)
}
