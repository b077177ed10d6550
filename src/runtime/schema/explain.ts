// Says why a value does not fit a shape: one line per field, in the caller's words, never repeating the value itself.
import { isRecord } from '../../lib/json.ts'
import { nearest, nearestOf } from '../../lib/nearest.ts'
import { describe } from './describe.ts'
import { codePoints, compileParser, DEPTH_MAX, fitsNumber, hasRepeat, isCleanJson, meant, REFUSED } from './parser.ts'
import { mismatch } from './text-patterns.ts'
import { textProblem } from './text.ts'
import type { Parser } from './parser.ts'
import type { Field, ObjectShape, Shape, StringShape } from './shape.ts'

export interface Issue {
  /** `tags[2]`, `filter.from`; empty for the whole input. */
  readonly path: string
  readonly kind: 'missing' | 'unknown' | 'wrong'
  readonly message: string
}

/** A reply stays readable; the rest shows up on the next try. */
const ISSUES_MAX = 8
const KEY_SHOWN_MAX = 64
/** Choices that are listed whole; of more, the nearest. */
const CHOICES_LISTED_MAX = 8
const CHOICES_NEAR = 3
const SUGGESTED_FROM_MAX = 128

/** At least one issue whenever the strict parser refuses `value`; none when it does not. */
export function explain(shape: Shape, value: unknown, path = ''): Issue[] {
  const issues: Issue[] = []
  visit(shape, value, path, issues)
  return issues.slice(0, ISSUES_MAX)
}

function visit(shape: Shape, value: unknown, path: string, issues: Issue[]): void {
  if (issues.length >= ISSUES_MAX) return
  const wrong = (message: string) => void issues.push({ path, kind: 'wrong', message })
  switch (shape.kind) {
    case 'string':
      return visitString(shape, value, wrong)
    case 'number':
      if (typeof value !== 'number') wrong(`must be ${describe(shape)}${got(value)}`)
      else if (!fitsNumber(shape, value)) wrong(`must be ${describe(shape)}`)
      return
    case 'boolean':
      if (typeof value !== 'boolean') wrong(`must be true or false${got(value)}`)
      return
    case 'choice':
      if (!shape.values.some((known) => known === value)) wrong(choiceMessage(shape, value))
      return
    case 'array':
      return visitArray(shape, value, path, issues)
    case 'object':
      return visitObject(shape, value, path, issues)
    case 'record':
      return visitRecord(shape, value, path, issues)
    case 'union':
      return visitUnion(shape.options, value, path, issues)
    case 'any':
      if (!isCleanJson(value, 0))
        wrong(`must be plain JSON at most ${DEPTH_MAX} levels deep, without NUL, lone surrogates or prototype keys`)
  }
}

/** Shapes outlive calls, so a long list of wrong items compiles each of its parsers once. */
const parsers = new WeakMap<Shape, Parser>()

function fits(shape: Shape, value: unknown): boolean {
  let parse = parsers.get(shape)
  if (parse === undefined) parsers.set(shape, (parse = compileParser(shape, 'strict')))
  return parse(value) !== REFUSED
}

function got(value: unknown): string {
  if (value === null) return ', got null'
  return `, got ${Array.isArray(value) ? 'an array' : typeof value === 'object' ? 'an object' : `a ${typeof value}`}`
}

function choiceMessage(shape: Extract<Shape, { kind: 'choice' }>, value: unknown): string {
  const names = shape.values.filter((known) => typeof known === 'string')
  const given = typeof value === 'string' ? value.slice(0, KEY_SHOWN_MAX) : ''
  if (shape.values.length > CHOICES_LISTED_MAX)
    return `must be one of ${shape.values.length} values, nearest ${nearestOf(given, names, CHOICES_NEAR).join(', ')}`
  const near = typeof value === 'string' ? nearest(given, names) : undefined
  return `must be ${describe(shape)}${near === undefined ? '' : `; did you mean ${near}?`}`
}

function visitString(shape: StringShape, value: unknown, wrong: (message: string) => void): void {
  if (typeof value !== 'string') return wrong(`must be a string${got(value)}`)
  const length = codePoints(value)
  const problem = textProblem(value)
  if (length > shape.max) wrong(`must have at most ${shape.max} characters, has ${length}`)
  else if (length < shape.min)
    wrong(shape.min === 1 ? 'must not be empty' : `must have at least ${shape.min} characters, has ${length}`)
  else if (problem !== undefined) wrong(problem)
  else if (shape.pattern !== undefined && !shape.pattern.test(value)) wrong(mismatch(shape.pattern))
  else if (!fits(shape, value)) wrong(`must be a valid ${shape.format ?? 'string'}`)
}

function visitArray(shape: Extract<Shape, { kind: 'array' }>, value: unknown, path: string, issues: Issue[]): void {
  const wrong = (message: string) => void issues.push({ path, kind: 'wrong', message })
  if (!Array.isArray(value)) return wrong(`must be an array${got(value)}`)
  if (value.length > shape.max) return wrong(`must have at most ${shape.max} items, has ${value.length}`)
  if (value.length < shape.min) return wrong(`must have at least ${shape.min} items, has ${value.length}`)
  for (let index = 0; index < value.length && issues.length < ISSUES_MAX; index++) {
    visit(shape.items, value[index], `${path}[${index}]`, issues)
  }
  if (shape.unique && hasRepeat(value)) wrong('must not hold the same item twice')
}

function visitObject(shape: ObjectShape, value: unknown, path: string, issues: Issue[]): void {
  if (!isRecord(value)) return void issues.push({ path, kind: 'wrong', message: `must be an object${got(value)}` })
  for (const field of shape.fields) visitField(field, value[field.name], join(path, field.name), issues)
  const names = shape.fields.map((field) => field.name)
  for (const key of Object.keys(value)) {
    if (names.includes(key) || issues.length >= ISSUES_MAX) continue
    issues.push({ path: join(path, shown(key)), kind: 'unknown', message: unknownMessage(key, names) })
  }
}

function visitField(field: Field, given: unknown, path: string, issues: Issue[]): void {
  if (isAbsent(field, given)) {
    if (field.required) issues.push({ path, kind: 'missing', message: `is required: ${describe(field.shape)}` })
    return
  }
  visit(field.shape, meant(field.shape, given), path, issues)
}

/** The same rule as the parser's: null, or an empty string that cannot be meant, stands for "not given". */
function isAbsent(field: Field, given: unknown): boolean {
  if (given === undefined) return true
  if (given !== null && (given !== '' || field.required)) return false
  return !fits(field.shape, given)
}

function unknownMessage(key: string, names: readonly string[]): string {
  const near = key.length <= SUGGESTED_FROM_MAX ? nearest(key, names) : undefined
  if (near !== undefined) return `is not a field; did you mean ${near}?`
  return names.length === 0
    ? 'is not a field; this takes no arguments'
    : `is not a field; the fields are ${names.join(', ')}`
}

function visitRecord(shape: Extract<Shape, { kind: 'record' }>, value: unknown, path: string, issues: Issue[]): void {
  if (!isRecord(value)) return void issues.push({ path, kind: 'wrong', message: `must be an object${got(value)}` })
  for (const [key, child] of Object.entries(value)) {
    const problem = key in Object.prototype ? 'is not allowed as a key' : textProblem(key)
    const unfit = shape.keys !== undefined && !shape.keys.test(key) ? mismatch(shape.keys) : undefined
    const message = problem ?? unfit
    if (message === undefined) visit(shape.values, child, join(path, shown(key)), issues)
    else issues.push({ path: join(path, shown(key)), kind: 'wrong', message })
  }
}

function visitUnion(options: readonly Shape[], value: unknown, path: string, issues: Issue[]): void {
  if (options.some((option) => fits(option, value))) return
  const alike = options.filter((option) => sameType(option, value))
  const [only] = alike
  if (alike.length === 1 && only !== undefined) return visit(only, value, path, issues)
  const type = alike.length === 0 ? got(value) : ''
  issues.push({ path, kind: 'wrong', message: `must be ${options.map(describe).join(' or ')}${type}` })
}

function sameType(shape: Shape, value: unknown): boolean {
  if (Array.isArray(value)) return shape.kind === 'array'
  if (isRecord(value)) return shape.kind === 'object' || shape.kind === 'record'
  return shape.kind === typeof value
}

function shown(key: string): string {
  return key.length <= KEY_SHOWN_MAX ? key.toWellFormed() : `${key.slice(0, KEY_SHOWN_MAX).toWellFormed()}…`
}

function join(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`
}
