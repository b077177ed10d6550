// What a wrong call should have looked like: one line of JSON with a hole, `<type>`, for every value that has to be filled in.
import { isRecord } from '../../lib/json.ts'
import { nearest, nearestOf } from '../../lib/nearest.ts'
import type { CompiledTool } from '../compiled.ts'
import { SHORT_CHARS } from './notation.ts'
import { compileParser, REFUSED } from '../schema/parser.ts'
import { likenessOf } from '../schema/text-patterns.ts'
import type { Field, NumberShape, Shape, StringShape } from '../schema/shape.ts'

export interface Guess {
  readonly tool: CompiledTool
  /** The category tool. */
  readonly publicName: string
  readonly action: string
}

/** More of a name, or of a value, is not compared. */
const KEY_CHARS_MAX = 64
/** Choices that are listed whole; of more, the nearest. */
const CHOICES_MAX = 8
const CHOICES_SHOWN = 3
/** A value of the caller that is right is repeated when it is no longer than a hole would be. */
const KEPT_CHARS_MAX = 16

/** @param given the parameters as far as they could be read; anything else counts as none */
export function suggestionFor({ tool, publicName, action }: Guess, given: unknown): string {
  const line = (from: unknown): string => {
    const params = paramsFor(tool, isRecord(from) ? from : {})
    return JSON.stringify({ tool: publicName, action, ...(Object.keys(params).length === 0 ? {} : { params }) })
  }
  const whole = line(given)
  return whole.length <= LINE_CHARS_MAX ? whole : line({})
}

/** A longer line says only what is needed: what else the caller gave, they know. */
const LINE_CHARS_MAX = 240

/** What is required, and of the optional what the caller gave or seems to have meant. */
function paramsFor(tool: CompiledTool, given: Record<string, unknown>): Record<string, unknown> {
  const { fields } = tool.shape
  if (tool.isForeign) return foreignParams(tool.definition.inputSchema)
  const meant = meantFields(fields, given)
  const [chosen] = (tool.oneOf ?? []).toSorted((one, other) => Number(meant.has(other)) - Number(meant.has(one)))
  const params: Record<string, unknown> = {}
  for (const field of fields) {
    const isAlternative = tool.oneOf?.includes(field.name) === true
    const isWanted = isAlternative ? field.name === chosen : field.required || meant.has(field.name)
    if (isWanted) params[field.name] = valueFor(field, meant.get(field.name))
  }
  return params
}

/** The fields that the caller's keys stand for, with the values they gave; what is no field and near none is left out. */
function meantFields(fields: readonly Field[], given: Record<string, unknown>): ReadonlyMap<string, unknown> {
  const meant = new Map<string, unknown>()
  const names = fields.map(({ name }) => name)
  for (const name of names) if (Object.hasOwn(given, name) && isPresent(given[name])) meant.set(name, given[name])
  for (const [key, value] of Object.entries(given)) {
    const near = names.includes(key) ? undefined : nearest(key.slice(0, KEY_CHARS_MAX), names)
    if (near !== undefined && !meant.has(near) && isPresent(value)) meant.set(near, value)
  }
  return meant
}

const isPresent = (value: unknown): boolean => value !== null && value !== undefined && value !== ''

function valueFor({ shape }: Field, value: unknown): unknown {
  const isShort =
    typeof value === 'number' ||
    typeof value === 'boolean' ||
    (typeof value === 'string' && value.length <= KEPT_CHARS_MAX)
  // A value in angle brackets would read as a hole.
  const isPlain = isShort && !(typeof value === 'string' && value.startsWith('<'))
  if (isPlain && compileParser(shape, 'strict')(value) !== REFUSED) return value
  return holeOf(shape, value)
}

/** `"<integer 1-10>"`, `["<string>"]`, `{"from":"<date>"}`. */
export function holeOf(shape: Shape, value?: unknown): unknown {
  switch (shape.kind) {
    case 'string':
      return `<${stringHole(shape)}>`
    case 'number':
      return `<${numberHole(shape)}>`
    case 'boolean':
      return '<boolean>'
    case 'choice':
      return choiceHole(shape.values, value)
    case 'array':
      return Array.from({ length: Math.max(1, shape.min) }, () => holeOf(shape.items))
    case 'object':
      return Object.fromEntries(
        shape.fields.filter(({ required }) => required).map((field) => [field.name, holeOf(field.shape)]),
      )
    case 'record':
      return {}
    case 'union':
      return shape.options[0] === undefined ? '<any>' : holeOf(shape.options[0], value)
    default:
      return '<any>'
  }
}

function stringHole({ min, max, format, pattern }: StringShape): string {
  if (format !== undefined) return format
  const likeness = pattern === undefined ? undefined : likenessOf(pattern)
  if (likeness !== undefined) return likeness
  if (min <= 1 && max > SHORT_CHARS) return 'string'
  return max === Infinity ? `string ${min}+` : `string ${Math.max(min, 1)}-${max}`
}

function numberHole(shape: NumberShape): string {
  const kind = shape.integer ? 'integer' : 'number'
  const low =
    shape.above > -Infinity && shape.above >= shape.min
      ? shape.integer
        ? shape.above + 1
        : `>${shape.above}`
      : shape.min
  const high =
    shape.below < Infinity && shape.below <= shape.max
      ? shape.integer
        ? shape.below - 1
        : `<${shape.below}`
      : shape.max
  if (low === -Infinity && high === Infinity) return kind
  if (high === Infinity) return `${kind} ${low}+`
  return low === -Infinity ? `${kind} up to ${high}` : `${kind} ${low}-${high}`
}

function choiceHole(values: readonly unknown[], value: unknown): unknown {
  const [only] = values
  if (values.length === 1) return only
  if (values.length <= CHOICES_MAX) return `<${values.map(String).join('|')}>`
  const near =
    typeof value === 'string' ? nearestOf(value.slice(0, KEY_CHARS_MAX), values.map(String), CHOICES_SHOWN) : []
  const shown = [...new Set([...near, ...values.map(String)])].slice(0, CHOICES_SHOWN)
  return `<${shown.join('|')}|… ${values.length} in all>`
}

const FOREIGN_HOLES: Readonly<Record<string, unknown>> = { array: [], object: {} }

function foreignParams({ properties, required }: Readonly<Record<string, unknown>>): Record<string, unknown> {
  if (!isRecord(properties) || !Array.isArray(required)) return {}
  const names = required.filter((name): name is string => typeof name === 'string')
  return Object.fromEntries(
    names.map((name) => {
      const schema = properties[name]
      const { type, enum: values } = isRecord(schema) ? schema : {}
      if (Array.isArray(values)) return [name, choiceHole(values, undefined)]
      return [name, typeof type === 'string' ? (FOREIGN_HOLES[type] ?? `<${type}>`) : '<any>']
    }),
  )
}
