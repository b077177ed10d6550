// Whether a result plainly misses what its tool promised. Looks only at the first level, since nothing hangs on it: the result is
// passed on in any case, and the operator finds a line in the log.
import { isRecord, objectOf } from '../lib/json.ts'
import type { JsonObject } from '../lib/link.ts'

const TYPES: Readonly<Record<string, (value: unknown) => boolean>> = Object.freeze({
  string: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number',
  integer: (value) => Number.isInteger(value),
  boolean: (value) => typeof value === 'boolean',
  array: (value) => Array.isArray(value),
  object: isRecord,
  null: (value) => value === null,
})

/** What is wrong, in a few words without the value; undefined where nothing plainly is. */
export function misfitOf(schema: JsonObject, { isError, structuredContent }: JsonObject): string | undefined {
  if (isError === true) return undefined
  if (!isRecord(structuredContent)) return 'there is no structured content'
  const { required, properties } = schema
  const missing = Array.isArray(required)
    ? required.find((name) => typeof name === 'string' && !Object.hasOwn(structuredContent, name))
    : undefined
  if (missing !== undefined) return `"${String(missing)}" is missing`
  for (const [name, property] of Object.entries(objectOf(properties))) {
    const { type } = objectOf(property)
    const fits = typeof type === 'string' && Object.hasOwn(TYPES, type) ? TYPES[type] : undefined
    if (fits !== undefined && Object.hasOwn(structuredContent, name) && !fits(structuredContent[name]))
      return `"${name}" is not of type ${String(type)}`
  }
  return undefined
}
