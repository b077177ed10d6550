// Compiles a shape into one closure that checks a value and builds a clean copy, with no allocation for messages.
// Why a value failed is a question for `explain.ts`, asked only then.
import { isRecord } from '../../lib/json.ts'
import { hasFormat } from './formats.ts'
import { losslessText } from './text.ts'
import type { Field, NumberShape, ObjectShape, Shape, StringShape } from './shape.ts'

/** Marks a value that did not fit. */
export const REFUSED = Symbol('refused')

/**
 * `strict` is for what comes in: unknown keys and text that cannot be stored are refused. `strip` is for what goes out:
 * undeclared keys are left behind.
 */
export type ParseMode = 'strict' | 'strip'

export type Parser = (value: unknown) => unknown

/** Deeper JSON than this is refused where a schema says "anything". */
export const DEPTH_MAX = 64

export function compileParser(shape: Shape, mode: ParseMode): Parser {
  switch (shape.kind) {
    case 'string':
      return stringParser(shape, mode)
    case 'number':
      return numberParser(shape)
    case 'boolean':
      return (value) => (typeof value === 'boolean' ? value : REFUSED)
    case 'choice': {
      const values = new Set<unknown>(shape.values)
      return (value) => (values.has(value) ? value : REFUSED)
    }
    case 'array':
      return arrayParser(shape, mode)
    case 'object':
      return objectParser(shape, mode)
    case 'record':
      return recordParser(compileParser(shape.values, mode), shape.keys)
    case 'union':
      return unionParser(shape.options.map((option) => compileParser(option, mode)))
    default:
      return mode === 'strict' ? (value) => (isCleanJson(value, 0) ? value : REFUSED) : (value) => value
  }
}

function stringParser(shape: StringShape, mode: ParseMode): Parser {
  const { min, max, pattern, format } = shape
  const strict = mode === 'strict'
  return (value) => {
    if (typeof value !== 'string') return REFUSED
    if (value.length > max && codePoints(value) > max) return REFUSED
    if (min > 0 && (value.length < min || codePoints(value) < min)) return REFUSED
    if (strict && !losslessText(value)) return REFUSED
    if (pattern !== undefined && !pattern.test(value)) return REFUSED
    if (format !== undefined && !hasFormat(format, value)) return REFUSED
    return value
  }
}

/** JSON Schema counts characters, not UTF-16 units. */
export function codePoints(text: string): number {
  let count = 0
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index)
    const next = unit >= 0xd800 && unit <= 0xdbff ? text.charCodeAt(index + 1) : 0
    if (next >= 0xdc00 && next <= 0xdfff) index++
    count++
  }
  return count
}

function numberParser(shape: NumberShape): Parser {
  return (value) => (typeof value === 'number' && fitsNumber(shape, value) ? value : REFUSED)
}

export function fitsNumber(shape: NumberShape, value: number): boolean {
  if (shape.integer ? !Number.isSafeInteger(value) : !Number.isFinite(value)) return false
  if (value < shape.min || value > shape.max || value <= shape.above || value >= shape.below) return false
  return shape.multipleOf === undefined || isMultiple(value, shape.multipleOf)
}

/** Tolerates the rounding of decimal fractions: 0.3 is a multiple of 0.1. */
function isMultiple(value: number, step: number): boolean {
  const quotient = value / step
  return Math.abs(quotient - Math.round(quotient)) <= Number.EPSILON * Math.max(1, Math.abs(quotient))
}

function arrayParser(shape: Extract<Shape, { kind: 'array' }>, mode: ParseMode): Parser {
  const parseItem = compileParser(shape.items, mode)
  return (value) => {
    if (!Array.isArray(value) || value.length < shape.min || value.length > shape.max) return REFUSED
    const out: unknown[] = []
    for (const item of value) {
      const parsed = parseItem(item)
      if (parsed === REFUSED) return REFUSED
      out.push(parsed)
    }
    return shape.unique && hasRepeat(out) ? REFUSED : out
  }
}

export function hasRepeat(items: readonly unknown[]): boolean {
  const keys = new Set(items.map((item) => (typeof item === 'object' ? JSON.stringify(item) : item)))
  return keys.size < items.length
}

interface CompiledField extends Field {
  readonly parse: Parser
  /** null is a value of its own here, not a spelling of "absent". */
  readonly takesNull: boolean
  readonly takesEmpty: boolean
  readonly freshFallback: (() => unknown) | undefined
}

function compileField(field: Field, mode: ParseMode): CompiledField {
  const parse = fieldParser(field.shape, mode)
  const { fallback } = field
  const copies = typeof fallback === 'object' && fallback !== null
  return {
    ...field,
    parse,
    takesNull: parse(null) !== REFUSED,
    takesEmpty: field.required || mode === 'strip' || parse('') !== REFUSED,
    freshFallback: fallback === undefined ? undefined : copies ? () => structuredClone(fallback) : () => fallback,
  }
}

const WRITTEN: ReadonlySet<Shape['kind']> = new Set(['array', 'object', 'record'])

/** Some clients write lists and objects as text; where nothing but those fits, what they meant is plain. */
function fieldParser(shape: Shape, mode: ParseMode): Parser {
  const parse = compileParser(shape, mode)
  if (mode === 'strip' || !WRITTEN.has(shape.kind)) return parse
  return (value) => parse(meant(shape, value))
}

/** What a field of this shape was given, read from text where it was written as text. */
export function meant(shape: Shape, value: unknown): unknown {
  return typeof value === 'string' && WRITTEN.has(shape.kind) ? jsonIn(value) : value
}

/** The text itself where it is no JSON. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return text
    throw error
  }
}

function objectParser(shape: ObjectShape, mode: ParseMode): Parser {
  const fields = shape.fields.map((field) => compileField(field, mode))
  const strict = mode === 'strict'
  const names = new Set(shape.fields.map((field) => field.name))
  return (value) => {
    if (!isRecord(value)) return REFUSED
    const out: Record<string, unknown> = {}
    let seen = 0
    for (const field of fields) {
      const given = value[field.name]
      if (given !== undefined) seen++
      if (given === undefined || (given === null && !field.takesNull) || (given === '' && !field.takesEmpty)) {
        if (field.freshFallback !== undefined) out[field.name] = field.freshFallback()
        else if (field.required) return REFUSED
        continue
      }
      const parsed = field.parse(given)
      if (parsed === REFUSED) return REFUSED
      out[field.name] = parsed
    }
    return strict && hasMoreKeys(value, seen) && hasUnknownKey(value, names) ? REFUSED : out
  }
}

function hasMoreKeys(value: Record<string, unknown>, seen: number): boolean {
  let extra = -seen
  for (const key in value) if (key !== undefined) extra++
  return extra !== 0
}

function hasUnknownKey(value: Record<string, unknown>, names: ReadonlySet<string>): boolean {
  for (const key in value) if (!names.has(key)) return true
  return false
}

function recordParser(parseValue: Parser, keys: RegExp | undefined): Parser {
  return (value) => {
    if (!isRecord(value)) return REFUSED
    const out: Record<string, unknown> = {}
    for (const key of Object.keys(value)) {
      if (key in Object.prototype || !losslessText(key) || (keys !== undefined && !keys.test(key))) return REFUSED
      const parsed = parseValue(value[key])
      if (parsed === REFUSED) return REFUSED
      out[key] = parsed
    }
    return out
  }
}

function unionParser(options: readonly Parser[]): Parser {
  return (value) => {
    for (const parse of options) {
      const parsed = parse(value)
      if (parsed !== REFUSED) return parsed
    }
    return REFUSED
  }
}

/** JSON of bounded depth whose text survives storage and whose keys cannot touch a prototype. */
export function isCleanJson(value: unknown, depth: number): boolean {
  if (typeof value === 'string') return losslessText(value)
  if (typeof value === 'number') return Number.isFinite(value)
  if (typeof value !== 'object' || value === null) return typeof value === 'boolean' || value === null
  if (depth >= DEPTH_MAX) return false
  if (Array.isArray(value)) return value.every((item) => isCleanJson(item, depth + 1))
  return Object.entries(value).every(
    ([key, child]) => !(key in Object.prototype) && losslessText(key) && isCleanJson(child, depth + 1),
  )
}
