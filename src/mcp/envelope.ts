// Decides, without the SDK, whether the `_meta` envelope of a 2026-07-28 request is plainly valid. "No" is not a verdict
// on the request: the SDK then judges it, and words the error.
import { isRecord } from '../lib/json.ts'
import { META, MODERN_VERSION } from './protocol.ts'

type Json = Readonly<Record<string, unknown>>

const optional = (value: unknown, type: 'string' | 'boolean'): boolean => value === undefined || typeof value === type

const optionalRecord = (value: unknown): boolean => value === undefined || isRecord(value)

function everyRecord(value: unknown): boolean {
  if (value === undefined) return true
  if (!isRecord(value)) return false
  for (const key in value) if (!isRecord(value[key])) return false
  return true
}

function plainClient(info: unknown): boolean {
  if (info === undefined) return true
  return (
    isRecord(info) &&
    typeof info['name'] === 'string' &&
    typeof info['version'] === 'string' &&
    info['icons'] === undefined &&
    optional(info['title'], 'string') &&
    optional(info['websiteUrl'], 'string') &&
    optional(info['description'], 'string')
  )
}

function plainElicitation(value: unknown): boolean {
  if (value === undefined) return true
  if (!isRecord(value) || !optionalRecord(value['url'])) return false
  const form = value['form']
  return form === undefined || (isRecord(form) && optional(form['applyDefaults'], 'boolean'))
}

function plainCapabilities(value: unknown): value is Json {
  if (!isRecord(value)) return false
  const { sampling, roots } = value
  if (sampling !== undefined) {
    if (!isRecord(sampling)) return false
    if (!optionalRecord(sampling['context']) || !optionalRecord(sampling['tools'])) return false
  }
  if (roots !== undefined && !(isRecord(roots) && optional(roots['listChanged'], 'boolean'))) return false
  return (
    plainElicitation(value['elicitation']) && everyRecord(value['experimental']) && everyRecord(value['extensions'])
  )
}

/** A token for progress as both eras have it, or none. */
export const isPlainToken = (token: unknown): boolean =>
  token === undefined || typeof token === 'string' || Number.isSafeInteger(token)

/**
 * The client's capabilities when the envelope is valid, of the one revision served, and asks for nothing on the side
 * but progress (no log messages); else undefined.
 */
export function plainEnvelope(meta: unknown): Json | undefined {
  if (!isRecord(meta) || meta[META.version] !== MODERN_VERSION) return undefined
  if (!isPlainToken(meta['progressToken']) || meta[META.logLevel] !== undefined) return undefined
  if (meta[META.relatedTask] !== undefined || !plainClient(meta[META.clientInfo])) return undefined
  const capabilities = meta[META.clientCapabilities]
  return plainCapabilities(capabilities) ? capabilities : undefined
}

/** Whether capabilities say that a form can be put to the person (a bare `{}` means forms). */
export function canElicit(capabilities: Json | undefined): boolean {
  const elicitation = capabilities?.['elicitation']
  if (!isRecord(elicitation)) return false
  return elicitation['form'] !== undefined || Object.keys(elicitation).length === 0
}
