// Turns a tool's input schema into command-line options, and their texts back into the values the schema asks for.
import { objectOf } from '../lib/json.ts'
import { type Option, type Options, UsageError } from './options.ts'

type Schema = Readonly<Record<string, unknown>>
type Kind = 'string' | 'number' | 'integer' | 'boolean' | 'null' | 'array' | 'object'

const kinds: readonly Kind[] = ['string', 'number', 'integer', 'boolean', 'null', 'array', 'object']

export interface ToolFlags {
  readonly options: Options
  /** Parameters of the call from parsed options; what was not given is left out. */
  read(values: Readonly<Record<string, unknown>>): Record<string, unknown>
}

/** @param reserved names the command itself uses; such a parameter can be given as JSON only */
export function flagsOf(inputSchema: Schema, reserved: readonly string[]): ToolFlags {
  const required = Array.isArray(inputSchema['required']) ? inputSchema['required'] : []
  const properties = Object.entries(objectOf(inputSchema['properties'])).filter(([name]) => !reserved.includes(name))
  return {
    options: Object.fromEntries(
      properties.map(([name, schema]) => [name, optionOf(name, objectOf(schema), required.includes(name))]),
    ),
    read: (values) =>
      Object.fromEntries(
        properties
          .filter(([name]) => values[name] !== undefined)
          .map(([name, schema]) => [name, valueOf(name, values[name], objectOf(schema))]),
      ),
  }
}

function optionOf(name: string, schema: Schema, isRequired: boolean): Option {
  const allowed = kindsOf(schema)
  const description = typeof schema['description'] === 'string' ? schema['description'].replaceAll(/\s+/g, ' ') : ''
  const help = [isRequired ? '(required)' : '', description, boundsOf(schema)].filter(Boolean).join(' ')
  if (allowed.every((kind) => kind === 'boolean' || kind === 'null'))
    return { type: 'flag', help: flagHelp(name, help, schema) }
  if (allowed.includes('array') && !allowed.includes('object')) return { type: 'list', value: 'VALUE...', help }
  const choices = choicesOf(schema)
  const value = choices === undefined ? placeholderOf(allowed) : choices.join('|')
  return { type: 'text', value, help }
}

/** How to say no to what is done anyway. */
function flagHelp(name: string, help: string, schema: Schema): string {
  return schema['default'] === true ? `${help}; --no-${name} for false` : help
}

/** `(1 to 10, 5 when absent)`, of which each part may be missing. */
function boundsOf(schema: Schema): string {
  const numeric = branches(schema).find(({ type }) => type === 'integer' || type === 'number') ?? {}
  const fallback = schema['default'] === undefined ? '' : `${JSON.stringify(schema['default'])} when absent`
  const words = [rangeOf(numeric['minimum'], numeric['maximum']), fallback].filter(Boolean).join(', ')
  return words === '' ? '' : `(${words})`
}

function rangeOf(minimum: unknown, maximum: unknown): string {
  if (typeof minimum === 'number')
    return typeof maximum === 'number' ? `${minimum} to ${maximum}` : `at least ${minimum}`
  return typeof maximum === 'number' ? `at most ${maximum}` : ''
}

function placeholderOf(allowed: readonly Kind[]): string {
  if (allowed.includes('object')) return 'JSON'
  if (allowed.includes('string')) return 'TEXT'
  return 'NUMBER'
}

function valueOf(name: string, value: unknown, schema: Schema): unknown {
  if (typeof value === 'string') return coerce(name, value, schema)
  if (!Array.isArray(value)) return value
  const texts = value.filter((item) => typeof item === 'string')
  const [only = ''] = texts
  if (texts.length === 1 && only.startsWith('[')) return jsonOf(name, only)
  // Where the tool takes a text as well, that is a comma list, and it means here what it means over MCP.
  if (kindsOf(schema).includes('string') && (texts.length === 1 || texts.some((text) => text.includes(','))))
    return texts.join(',')
  const items = objectOf(branches(schema).find((branch) => branch['type'] === 'array')?.['items'])
  return texts.map((text) => coerce(name, text, items))
}

/** The value that `text` stands for under `schema`. Throws UsageError when it can stand for none. */
export function coerce(name: string, text: string, schema: Schema): unknown {
  const allowed = kindsOf(schema)
  const isNumeric = /^-?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text)
  if (isNumeric && (allowed.includes('number') || allowed.includes('integer'))) return Number(text)
  if (allowed.includes('boolean') && (text === 'true' || text === 'false')) return text === 'true'
  if (allowed.includes('null') && text === 'null') return null
  if (allowed.includes('object') && text.startsWith('{')) return jsonOf(name, text)
  if (allowed.includes('array') && text.startsWith('[')) return jsonOf(name, text)
  if (allowed.includes('string')) return text
  throw new UsageError(
    `--${name} takes ${allowed.map((kind) => wordFor[kind]).join(' or ')}, not ${JSON.stringify(text)}`,
  )
}

const wordFor: Readonly<Record<Kind, string>> = {
  string: 'a text',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  null: 'null',
  array: 'a JSON array',
  object: 'a JSON object',
}

/** Parses a JSON text of an option. Throws UsageError. */
export function jsonOf(name: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    throw new UsageError(`--${name} is not valid JSON: ${error.message}`)
  }
}

/** Every kind of value a schema allows; all of them when it does not say. */
function kindsOf(schema: Schema): Kind[] {
  const named = branches(schema).flatMap((branch) => {
    if ('const' in branch) return [kindOf(branch['const'])]
    if (Array.isArray(branch['enum'])) return branch['enum'].map(kindOf)
    const type = branch['type']
    return kinds.filter((kind) => kind === type || (Array.isArray(type) && type.includes(kind)))
  })
  return named.length === 0 ? [...kinds] : [...new Set(named)]
}

function branches(schema: Schema): Schema[] {
  const union = schema['anyOf'] ?? schema['oneOf']
  return Array.isArray(union) ? union.map(objectOf).flatMap(branches) : [schema]
}

/** The literal texts, when the schema allows nothing else. */
function choicesOf(schema: Schema): string[] | undefined {
  const literals = branches(schema).flatMap((branch): unknown[] =>
    Array.isArray(branch['enum']) ? branch['enum'] : [branch['const']],
  )
  return literals.every((literal) => typeof literal === 'string') ? literals : undefined
}

function kindOf(value: unknown): Kind {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  const type = typeof value
  return type === 'string' || type === 'number' || type === 'boolean' ? type : 'object'
}
