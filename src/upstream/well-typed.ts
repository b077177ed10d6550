// Clients read a list as a whole: one field of another type than the protocol says, and they have none of it. Such fields are left
// out of what is listed; everything else, known or not, stays as it came.
import { isRecord } from '../lib/json.ts'
import type { JsonObject } from '../lib/link.ts'

const isText = (value: unknown): boolean => typeof value === 'string'

type Fits = (value: unknown) => boolean

const isFlag: Fits = (value) => typeof value === 'boolean'
const isNumber: Fits = (value) => typeof value === 'number'
const allOf =
  (fits: Fits): Fits =>
  (value) =>
    Array.isArray(value) && value.every(fits)
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/
const isTime: Fits = (value) => typeof value === 'string' && TIME.test(value) && !Number.isNaN(Date.parse(value))
const isTheme: Fits = (value) => value === 'light' || value === 'dark'
const isRole: Fits = (value) => value === 'user' || value === 'assistant'

const fieldsFit =
  (fields: Readonly<Record<string, Fits>>): Fits =>
  (value) =>
    isRecord(value) && Object.entries(fields).every(([name, fits]) => value[name] === undefined || fits(value[name]))

const isNamed: Fits = (value) => isRecord(value) && isText(value['name'])
const isIcon: Fits = (value) => isRecord(value) && isText(value['src'])

const FITS: Readonly<Record<string, Fits>> = Object.freeze({
  title: isText,
  description: isText,
  mimeType: isText,
  size: isNumber,
  icons: (value) =>
    allOf(isIcon)(value) && allOf(fieldsFit({ mimeType: isText, sizes: allOf(isText), theme: isTheme }))(value),
  arguments: (value) =>
    allOf(isNamed)(value) && allOf(fieldsFit({ title: isText, description: isText, required: isFlag }))(value),
  annotations: fieldsFit({
    title: isText,
    audience: allOf(isRole),
    priority: (value) => isNumber(value) && Number(value) >= 0 && Number(value) <= 1,
    lastModified: isTime,
    readOnlyHint: isFlag,
    destructiveHint: isFlag,
    idempotentHint: isFlag,
    openWorldHint: isFlag,
  }),
  outputSchema: (value) => isRecord(value) && value['type'] === 'object' && readableSchema(value) === value,
  _meta: isRecord,
})

/** The very object that came in where nothing in it is of another type than it should be. */
export function wellTyped(entry: JsonObject): JsonObject {
  const bad = Object.entries(FITS).filter(([field, fits]) => Object.hasOwn(entry, field) && !fits(entry[field]))
  if (bad.length === 0) return entry
  const fields = new Set(bad.map(([field]) => field))
  return Object.fromEntries(Object.entries(entry).filter(([field]) => !fields.has(field)))
}

/** The same, with a name that the protocol demands beside the address. */
export function named(entry: JsonObject, key: 'uri' | 'uriTemplate'): JsonObject {
  const typed = wellTyped(entry)
  return isText(typed['name']) ? typed : { ...typed, name: typed[key] }
}

/**
 * A schema whose first level clients can read: `properties` are objects (a plain `true` says the same as an empty one), `required`
 * are names. The very object that came in where that is so.
 */
export function readableSchema(schema: JsonObject): JsonObject {
  const { properties, required } = schema
  const isReadable =
    (properties === undefined || (isRecord(properties) && Object.values(properties).every(isRecord))) &&
    (required === undefined || allOf(isText)(required))
  if (isReadable) return schema
  const { properties: _properties, required: _required, ...rest } = schema
  return {
    ...rest,
    ...(isRecord(properties) ? { properties: mapValues(properties) } : {}),
    ...(Array.isArray(required) ? { required: required.filter(isText) } : {}),
  }
}

const mapValues = (properties: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [
      name,
      isRecord(schema) ? schema : schema === false ? { not: {} } : {},
    ]),
  )
