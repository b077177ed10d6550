// A declared schema as JSON Schema 2020-12 for the wire: a plain frozen copy, unknown keys refused at every level.
import { isRecord } from '../lib/json.ts'

/** Added to the input of what destroys. */
export const CONFIRM_FIELD = 'confirm_token'
/** Accepted by every tool; shown by those that read, and where a tool declares how large its replies may be. */
export const MORE_FIELD = 'more'

type Json = Record<string, unknown>

const confirmSchema = { type: 'string', description: 'Leave out at first; the preview names the token.' }
/** A cut reply says itself how to read on, so a list does without the words. */
const moreSchema = { type: 'string', description: 'Reads on in a cut reply' }
const leanMore = { type: 'string' }

/** @param extras which reserved fields to show */
export function wireInput(schema: object | undefined, extras: { confirm: boolean; more: boolean }): Json {
  const plain = schema === undefined ? { type: 'object', properties: {} } : closed(schema)
  const properties = isRecord(plain['properties']) ? plain['properties'] : {}
  return {
    ...plain,
    properties: {
      ...properties,
      ...(extras.confirm ? { [CONFIRM_FIELD]: confirmSchema } : {}),
      ...(extras.more ? { [MORE_FIELD]: moreSchema } : {}),
    },
    additionalProperties: false,
  }
}

/** Bounds of a text that nobody comes near by accident are checked, but not paid for in every conversation. */
const FAR_CHARS = 100
const FAR_NUMBER = 100_000

/**
 * The same schema in as few tokens as keep its types, choices and ranges: without what every text obeys anyway (not empty,
 * not longer than anybody writes there), and choices as one list.
 */
export function leanInput(schema: Json): Json {
  const out: Json = {}
  for (const [key, value] of Object.entries(schema)) {
    if (key === 'minLength' && value === 1) continue
    if (key === 'maxLength' && typeof value === 'number' && value >= FAR_CHARS) continue
    if ((key === 'maximum' || key === 'minimum') && typeof value === 'number' && Math.abs(value) >= FAR_NUMBER) continue
    if (key === 'pattern' || key === 'patternProperties') continue
    if (key === 'properties' && isRecord(value)) out[key] = leanFields(value)
    else if (key === 'items' || key === 'additionalProperties') out[key] = isRecord(value) ? leanInput(value) : value
    else if (key === 'anyOf' && Array.isArray(value)) Object.assign(out, leanChoice(value))
    else out[key] = value
  }
  return out
}

const leanFields = (fields: Json): Json =>
  Object.fromEntries(
    Object.entries(fields).map(([name, child]) => {
      if (name === MORE_FIELD) return [name, leanMore]
      if (!isRecord(child)) return [name, child]
      const { minimum, ...lean } = leanInput(child)
      // An id is positive whether its schema says so or not.
      return [name, minimum === undefined || (minimum === 1 && /(^|_)id$/.test(name)) ? lean : { ...lean, minimum }]
    }),
  )

function leanChoice(members: readonly unknown[]): Json {
  const values = members.map((member) => (isRecord(member) ? member['const'] : undefined))
  if (values.every((value) => typeof value === 'string')) return { type: 'string', enum: values }
  return { anyOf: members.map((member) => (isRecord(member) ? leanInput(member) : member)) }
}

export function wireOutput(schema: object): Json {
  return closed(schema)
}

/** Copies a schema; a field with a default is never required, because the runtime fills it in. */
function closed(schema: object): Json {
  const source: Json = { ...schema }
  const out: Json = {}
  for (const [key, value] of Object.entries(source)) {
    if (key === '$schema' || key === 'required' || key === 'additionalProperties') continue
    out[key] = key === 'properties' && isRecord(value) ? closedFields(value) : copied(key, value)
  }
  const { properties, additionalProperties } = source
  const required = requiredOf(source)
  if (required.length > 0) out['required'] = required
  if (source['type'] === 'object' && isRecord(properties) && !isRecord(source['patternProperties']))
    out['additionalProperties'] = false
  else if (additionalProperties !== undefined)
    out['additionalProperties'] = copied('additionalProperties', additionalProperties)
  return out
}

function closedFields(fields: Json): Json {
  return Object.fromEntries(
    Object.entries(fields).map(([name, child]) => [name, isRecord(child) ? closed(child) : child]),
  )
}

function copied(key: string, value: unknown): unknown {
  if (key === 'items' || key === 'additionalProperties') return isRecord(value) ? closed(value) : value
  if (key === 'anyOf' && Array.isArray(value))
    return value.map((member) => (isRecord(member) ? closed(member) : member))
  if (key === 'patternProperties' && isRecord(value)) return closedFields(value)
  return typeof value === 'object' && value !== null ? structuredClone(value) : value
}

function requiredOf(source: Json): string[] {
  const { required, properties } = source
  if (!Array.isArray(required) || !isRecord(properties)) return []
  return required.filter((name): name is string => {
    const child = typeof name === 'string' ? properties[name] : undefined
    return isRecord(child) && child['default'] === undefined
  })
}
