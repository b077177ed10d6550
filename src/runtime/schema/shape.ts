// Reads the subset of JSON Schema that tools may use into a small tree; everything else about a schema is computed from it.
import { isRecord } from '../../lib/json.ts'
import { CompileError } from '../compile-error.ts'
import { isKnownFormat } from './formats.ts'

export type Scalar = string | number | boolean | null

export interface StringShape {
  readonly kind: 'string'
  /** In code points. */
  readonly min: number
  readonly max: number
  readonly pattern: RegExp | undefined
  readonly format: string | undefined
}
export interface NumberShape {
  readonly kind: 'number'
  readonly integer: boolean
  readonly min: number
  readonly max: number
  readonly above: number
  readonly below: number
  readonly multipleOf: number | undefined
}
export interface Field {
  readonly name: string
  readonly shape: Shape
  /** Missing is an error: declared required, and no default. */
  readonly required: boolean
  readonly fallback: unknown
}
export interface ObjectShape {
  readonly kind: 'object'
  readonly fields: readonly Field[]
}
export type Shape =
  | StringShape
  | NumberShape
  | ObjectShape
  | { readonly kind: 'boolean' }
  | { readonly kind: 'choice'; readonly values: readonly Scalar[] }
  | {
      readonly kind: 'array'
      readonly items: Shape
      readonly min: number
      readonly max: number
      readonly unique: boolean
    }
  | { readonly kind: 'record'; readonly values: Shape; readonly keys: RegExp | undefined }
  | { readonly kind: 'union'; readonly options: readonly Shape[] }
  | { readonly kind: 'any' }

const annotations = [
  'title',
  'description',
  'default',
  'examples',
  'deprecated',
  'readOnly',
  'writeOnly',
  '$comment',
  '$schema',
]
const keywords: Readonly<Record<string, ReadonlySet<string>>> = {
  string: words('type', 'minLength', 'maxLength', 'pattern', 'format'),
  integer: words('type', 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'),
  boolean: words('type'),
  null: words('type'),
  array: words('type', 'items', 'minItems', 'maxItems', 'uniqueItems'),
  object: words('type', 'properties', 'required', 'additionalProperties', 'patternProperties'),
  choice: words('type', 'const', 'enum'),
  union: words('anyOf'),
  any: words(),
}

function words(...own: string[]): ReadonlySet<string> {
  return new Set([...own, ...annotations])
}

/** @throws CompileError on a keyword outside the subset: a constraint that nobody checks is worse than none */
export function readShape(schema: object, where: string): Shape {
  const source: Record<string, unknown> = { ...schema }
  if ('const' in source) return choice(only(source, 'choice', where), [source['const']], where)
  if (Array.isArray(source['enum'])) return choice(only(source, 'choice', where), source['enum'], where)
  if (Array.isArray(source['anyOf'])) return union(only(source, 'union', where)['anyOf'], where)
  switch (source['type']) {
    case undefined:
      only(source, 'any', where)
      return { kind: 'any' }
    case 'string':
      return readString(only(source, 'string', where), where)
    case 'integer':
    case 'number':
      return readNumber(only(source, 'integer', where), where)
    case 'boolean':
      only(source, 'boolean', where)
      return { kind: 'boolean' }
    case 'null':
      only(source, 'null', where)
      return { kind: 'choice', values: [null] }
    case 'array':
      return readArray(only(source, 'array', where), where)
    case 'object':
      return readObject(only(source, 'object', where), where)
    default:
      throw new CompileError(where, `schema type ${JSON.stringify(source['type'])} is not supported`)
  }
}

function only(source: Record<string, unknown>, kind: string, where: string): Record<string, unknown> {
  for (const key of Object.keys(source)) {
    if (!keywords[kind]?.has(key)) throw new CompileError(where, `schema keyword "${key}" is not supported`)
  }
  return source
}

function choice(_source: object, values: readonly unknown[], where: string): Shape {
  if (values.length === 0 || !values.every(isScalar))
    throw new CompileError(where, 'const and enum hold plain values only')
  return { kind: 'choice', values }
}

function isScalar(value: unknown): value is Scalar {
  return value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
}

function union(members: unknown, where: string): Shape {
  const options = asArray(members).map((member) => readShape(asSchema(member, where), where))
  const choices = options.flatMap((option) => (option.kind === 'choice' ? option.values : []))
  const rest = options.filter((option) => option.kind !== 'choice')
  const merged: Shape[] = choices.length > 0 ? [...rest, { kind: 'choice', values: choices }] : rest
  const [first] = merged
  if (first === undefined) throw new CompileError(where, 'anyOf is empty')
  return merged.length === 1 ? first : { kind: 'union', options: merged }
}

function readString(source: Record<string, unknown>, where: string): Shape {
  const format = source['format']
  if (format !== undefined && !(typeof format === 'string' && isKnownFormat(format))) {
    throw new CompileError(where, `string format ${JSON.stringify(format)} is not supported`)
  }
  return {
    kind: 'string',
    min: bound(source['minLength'], 0),
    max: bound(source['maxLength'], Infinity),
    pattern: typeof source['pattern'] === 'string' ? new RegExp(source['pattern'], 'u') : undefined,
    format,
  }
}

function readNumber(source: Record<string, unknown>, where: string): Shape {
  const multipleOf = source['multipleOf']
  if (multipleOf !== undefined && !(typeof multipleOf === 'number' && multipleOf > 0)) {
    throw new CompileError(where, 'multipleOf must be a number above 0')
  }
  return {
    kind: 'number',
    integer: source['type'] === 'integer',
    min: bound(source['minimum'], -Infinity),
    max: bound(source['maximum'], Infinity),
    above: bound(source['exclusiveMinimum'], -Infinity),
    below: bound(source['exclusiveMaximum'], Infinity),
    multipleOf,
  }
}

function readArray(source: Record<string, unknown>, where: string): Shape {
  return {
    kind: 'array',
    items: readShape(asSchema(source['items'] ?? {}, where), `${where}[]`),
    min: bound(source['minItems'], 0),
    max: bound(source['maxItems'], Infinity),
    unique: source['uniqueItems'] === true,
  }
}

function readObject(source: Record<string, unknown>, where: string): Shape {
  const { properties, patternProperties, additionalProperties } = source
  if (isRecord(patternProperties)) return readRecord(patternProperties, properties, where)
  if (isRecord(additionalProperties)) {
    if (isRecord(properties) && Object.keys(properties).length > 0) {
      throw new CompileError(where, 'an object has either named fields or free keys, not both')
    }
    return { kind: 'record', values: readShape(additionalProperties, `${where}.*`), keys: undefined }
  }
  if (properties === undefined && additionalProperties !== false)
    return { kind: 'record', values: { kind: 'any' }, keys: undefined }
  const required = new Set(asArray(source['required']))
  const fields = Object.entries(isRecord(properties) ? properties : {}).map(([name, child]) => {
    if (name in Object.prototype) throw new CompileError(where, `a field must not be called "${name}"`)
    const schema = asSchema(child, `${where}.${name}`)
    const fallback: unknown = Reflect.get(schema, 'default')
    const shape = readShape(schema, `${where}.${name}`)
    return { name, shape, required: required.has(name) && fallback === undefined, fallback }
  })
  return { kind: 'object', fields }
}

function readRecord(patterns: Record<string, unknown>, properties: unknown, where: string): Shape {
  const [entry, ...others] = Object.entries(patterns)
  if (entry === undefined || others.length > 0 || (isRecord(properties) && Object.keys(properties).length > 0)) {
    throw new CompileError(where, 'a record has exactly one key pattern and no named fields')
  }
  const [pattern, values] = entry
  const keys = pattern === '^.*$' ? undefined : new RegExp(pattern, 'u')
  return { kind: 'record', values: readShape(asSchema(values, where), `${where}.*`), keys }
}

function bound(value: unknown, absent: number): number {
  return typeof value === 'number' ? value : absent
}

function asArray(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

function asSchema(value: unknown, where: string): object {
  if (typeof value !== 'object' || value === null) throw new CompileError(where, 'a schema must be an object')
  return value
}
