// Decides, without the SDK, whether a message is a plain JSON-RPC request of its era. "No" is not a verdict: the SDK then
// judges it, and words the error.
import { isRecord } from '../lib/json.ts'
import { isPlainToken } from './envelope.ts'
import type { RequestId } from './answer.ts'
import { SAID_CHARS_MAX, META, SESSION_VERSIONS } from './protocol.ts'

export type Json = Readonly<Record<string, unknown>>

export interface PlainRequest {
  readonly id: RequestId
  readonly method: string
  readonly params: Json | undefined
}

export const META_ONLY: ReadonlySet<string> = new Set(['_meta'])
export const CALL_KEYS: ReadonlySet<string> = new Set(['name', 'arguments', '_meta'])
const REQUEST_KEYS: ReadonlySet<string> = new Set(['jsonrpc', 'id', 'method', 'params'])

export function hasOnly(value: Json, keys: ReadonlySet<string>): boolean {
  for (const key in value) if (!keys.has(key)) return false
  return true
}

/** A JSON-RPC request as its schema has it: an id that is a string or a safe integer, and no member besides the four. */
export function isPlainRequest(body: unknown): body is PlainRequest {
  if (!isRecord(body) || body['jsonrpc'] !== '2.0' || typeof body['method'] !== 'string') return false
  const { id, params } = body
  if (typeof id === 'string' ? id.length > SAID_CHARS_MAX : !Number.isSafeInteger(id)) return false
  return (params === undefined || isRecord(params)) && hasOnly(body, REQUEST_KEYS)
}

export const speaksSessions = (version: string | string[] | undefined): boolean =>
  version === undefined || version === '' || (typeof version === 'string' && SESSION_VERSIONS.includes(version))

/** A `_meta` of the older era that asks for nothing but progress: no task, and no claim to be of the newer one. */
export function plainSessionMeta(meta: unknown): boolean {
  if (meta === undefined) return true
  return (
    isRecord(meta) &&
    isPlainToken(meta['progressToken']) &&
    meta[META.relatedTask] === undefined &&
    meta[META.version] === undefined
  )
}
