// Definitions of others, as a strict client can read them. Such a client refuses a whole list for one field of the wrong kind in
// one entry, so that field is left out; what no revision of the protocol knows is left alone.
import { isRecord } from '../lib/json.ts'
import type { WireObject } from './source.ts'

type Check = (value: unknown) => boolean

const isString: Check = (value) => typeof value === 'string'
const isOptional =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value)
const isListOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check)

const isIcon: Check = (icon) =>
  isRecord(icon) &&
  isString(icon['src']) &&
  isOptional(isString)(icon['mimeType']) &&
  isOptional(isListOf(isString))(icon['sizes']) &&
  isOptional((theme) => theme === 'light' || theme === 'dark')(icon['theme'])

const isArgument: Check = (argument) =>
  isRecord(argument) &&
  isString(argument['name']) &&
  isOptional(isString)(argument['title']) &&
  isOptional(isString)(argument['description']) &&
  isOptional((required) => typeof required === 'boolean')(argument['required'])

/** RFC 3339, with a zone: what the schema of the protocol takes. */
const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/

const isAnnotations: Check = (value) =>
  isRecord(value) &&
  isOptional(isListOf((role) => role === 'user' || role === 'assistant'))(value['audience']) &&
  isOptional((priority) => typeof priority === 'number' && priority >= 0 && priority <= 1)(value['priority']) &&
  isOptional((at) => typeof at === 'string' && MOMENT.test(at) && !Number.isNaN(Date.parse(at)))(value['lastModified'])

/** Fields that clients check; `name` and addresses are their owner's promise. */
const CHECKS: ReadonlyMap<string, Check> = new Map<string, Check>([
  ['title', isString],
  ['description', isString],
  ['mimeType', isString],
  ['size', (value) => typeof value === 'number'],
  ['icons', isListOf(isIcon)],
  ['arguments', isListOf(isArgument)],
  ['annotations', isAnnotations],
  ['outputSchema', (value) => isRecord(value) && isPlainSchema(value)],
  ['execution', isRecord],
  ['_meta', isRecord],
])

/** The same object where nothing is wrong with it. */
export function wellFormed<Item extends WireObject>(item: Item): Item {
  const isBroken = (field: string): boolean => Object.hasOwn(item, field) && CHECKS.get(field)?.(item[field]) === false
  if (!Object.keys(item).some(isBroken)) return item
  const kept: Item = { ...item }
  for (const field of Object.keys(item)) if (isBroken(field)) Reflect.deleteProperty(kept, field)
  return kept
}

/** Whether clients of the older era take it: every property an object, every required one a name. */
function isPlainSchema({ properties, required }: WireObject): boolean {
  return (
    isOptional((value) => isRecord(value) && Object.values(value).every(isRecord))(properties) &&
    isOptional(isListOf(isString))(required)
  )
}

/** JSON Schema has `true` for whatever and `false` for nothing; written as objects they mean the same and are taken by all. */
export function plainSchema(schema: WireObject): WireObject {
  if (isPlainSchema(schema)) return schema
  const { properties, required, ...rest } = schema
  return {
    ...rest,
    ...(isRecord(properties)
      ? { properties: Object.fromEntries(Object.entries(properties).map(([name, value]) => [name, asObject(value)])) }
      : {}),
    ...(Array.isArray(required) ? { required: required.filter(isString) } : {}),
  }
}

const asObject = (schema: unknown): WireObject => (isRecord(schema) ? schema : schema === false ? { not: {} } : {})
