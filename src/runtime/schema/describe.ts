// Shapes in words (for messages) and in short type notation (for signatures).
import type { NumberShape, Shape, StringShape } from './shape.ts'

const CHOICES_SHOWN_MAX = 24

/** Formats whose name does not say what to write. */
const FORMATS: Readonly<Record<string, string>> = {
  'date-time': 'a time with its zone, like 2026-01-31T12:00Z',
  date: 'a date that exists, like 2026-01-31',
}

/** `an integer from 1 to 10`, `one of a, b`, `a string of at most 500 characters`. */
export function describe(shape: Shape): string {
  switch (shape.kind) {
    case 'string':
      return describeString(shape)
    case 'number':
      return `${shape.integer ? 'an integer' : 'a number'}${range(shape)}`
    case 'boolean':
      return 'true or false'
    case 'choice':
      return shape.values.length === 1
        ? String(shape.values[0])
        : `one of ${shape.values.slice(0, CHOICES_SHOWN_MAX).map(String).join(', ')}`
    case 'array':
      return 'an array'
    case 'object':
    case 'record':
      return 'an object'
    case 'union':
      return shape.options.map(describe).join(' or ')
    default:
      return 'any JSON'
  }
}

function describeString(shape: StringShape): string {
  if (shape.format !== undefined) return FORMATS[shape.format] ?? `a ${shape.format} string`
  if (shape.max !== Infinity) return `a string of at most ${shape.max} characters`
  return 'a string'
}

function range(shape: NumberShape): string {
  const low = Math.max(shape.min, shape.above)
  const high = Math.min(shape.max, shape.below)
  const lowText = shape.above > -Infinity && shape.above >= shape.min ? `above ${low}` : `from ${low}`
  const highText = shape.below < Infinity && shape.below <= shape.max ? `below ${high}` : `to ${high}`
  const parts = [
    low > -Infinity ? lowText : '',
    high < Infinity ? highText : '',
    shape.multipleOf === undefined ? '' : `in steps of ${shape.multipleOf}`,
  ]
  const text = parts.filter((part) => part !== '').join(' ')
  return text === '' ? '' : ` ${text.replace(/^to /, 'up to ').replace(/^from (\S+)$/, 'of at least $1')}`
}

/** `string`, `integer 1..10`, `"a" | "b"`, `string[]`. */
export function typeText(shape: Shape): string {
  switch (shape.kind) {
    case 'string':
      return shape.format ?? 'string'
    case 'number': {
      const bounded = shape.min > -Infinity || shape.max < Infinity
      const type = shape.integer ? 'integer' : 'number'
      return bounded
        ? `${type} ${shape.min > -Infinity ? shape.min : ''}..${shape.max < Infinity ? shape.max : ''}`
        : type
    }
    case 'choice':
      return shape.values.map((value) => JSON.stringify(value)).join(' | ')
    case 'array':
      return shape.items.kind === 'union' || shape.items.kind === 'choice'
        ? `(${typeText(shape.items)})[]`
        : `${typeText(shape.items)}[]`
    case 'object':
      return `{ ${fieldsText(shape)} }`
    case 'record':
      return `{ [key]: ${typeText(shape.values)} }`
    case 'union':
      return shape.options.map(typeText).join(' | ')
    case 'boolean':
      return 'boolean'
    default:
      return 'any'
  }
}

/** `content: string, limit?: integer 1..100 = 10` */
export function fieldsText(shape: Extract<Shape, { kind: 'object' }>): string {
  const texts = shape.fields.map((field) => {
    const fallback = field.fallback === undefined ? '' : ` = ${JSON.stringify(field.fallback)}`
    return `${field.name}${field.required ? '' : '?'}: ${typeText(field.shape)}${fallback}`
  })
  return texts.join(', ')
}
