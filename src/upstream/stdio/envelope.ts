// The parameters of a request as text on the wire: what the caller gave, and in `_meta` only what is ours to say.
import { isRecord } from '../../lib/json.ts'
import { MCP_META, MODERN_VERSION } from '../../lib/mcp-names.ts'
import { VERSION } from '../../lib/version.ts'
import type { Era, JsonObject } from '../link.ts'

/** What we say of ourselves to every server. */
export const CLIENT_INFO = Object.freeze({ name: 'crow', version: VERSION })

const NO_CAPABILITIES: JsonObject = Object.freeze({})

/** What a caller's `_meta` may not bring along: it is about the caller's connection, and this is another one. */
const OURS: ReadonlySet<string> = new Set([
  'progressToken',
  MCP_META.version,
  MCP_META.clientInfo,
  MCP_META.clientCapabilities,
  MCP_META.subscriptionId,
])

/** Callers declare the same few sets of capabilities over and over, each as one object. */
const envelopes = new WeakMap<JsonObject, string>()

function envelopeText(capabilities: JsonObject): string {
  const known = envelopes.get(capabilities)
  if (known !== undefined) return known
  const text = JSON.stringify({
    [MCP_META.version]: MODERN_VERSION,
    [MCP_META.clientInfo]: CLIENT_INFO,
    [MCP_META.clientCapabilities]: capabilities,
  })
  envelopes.set(capabilities, text)
  return text
}

/** Two texts of objects as one. */
function joined(left: string, right: string): string {
  if (left === '{}') return right
  return right === '{}' ? left : `${left.slice(0, -1)},${right.slice(1)}`
}

function withoutOurs(meta: unknown): JsonObject {
  if (!isRecord(meta)) return NO_CAPABILITIES
  return Object.fromEntries(Object.entries(meta).filter(([name]) => !OURS.has(name)))
}

export interface Said {
  /** Sent only where somebody listens. */
  readonly progressToken?: number | undefined
  /** 2026: what can be asked of the caller of this request. */
  readonly capabilities?: JsonObject | undefined
}

/** @throws TypeError where `params` is no JSON */
export function paramsText(
  params: JsonObject,
  era: Era,
  { progressToken, capabilities = NO_CAPABILITIES }: Said,
): string {
  let meta = era === '2026' ? envelopeText(capabilities) : '{}'
  if (progressToken !== undefined) meta = joined(`{"progressToken":${progressToken}}`, meta)
  if (params['_meta'] === undefined) {
    const text = JSON.stringify(params)
    return meta === '{}' ? text : joined(`{"_meta":${meta}}`, text)
  }
  const { _meta: given, ...rest } = params
  meta = joined(JSON.stringify(withoutOurs(given)), meta)
  return joined(`{"_meta":${meta}}`, JSON.stringify(rest))
}
