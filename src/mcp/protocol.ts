// The protocol's own names and numbers, for the paths that run without the SDK. A test compares them with the SDK's.

/** Which protocol families a mount serves. */
export type Eras = 'both' | '2025' | '2026'

/** The one revision of the family without sessions: each request describes itself in `params._meta`. */
export const MODERN_VERSION = '2026-07-28'

/** Revisions that open with `initialize`, newest first. */
export const SESSION_VERSIONS: readonly string[] = [
  '2025-11-25',
  '2025-06-18',
  '2025-03-26',
  '2024-11-05',
  '2024-10-07',
]

export const META = Object.freeze({
  version: 'io.modelcontextprotocol/protocolVersion',
  clientInfo: 'io.modelcontextprotocol/clientInfo',
  clientCapabilities: 'io.modelcontextprotocol/clientCapabilities',
  logLevel: 'io.modelcontextprotocol/logLevel',
  serverInfo: 'io.modelcontextprotocol/serverInfo',
  relatedTask: 'io.modelcontextprotocol/related-task',
})

/** JSON-RPC 2.0 §5.1 and the codes MCP adds. */
export const CODE = Object.freeze({
  parse: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
  refused: -32000,
  sessionNotFound: -32001,
  headerMismatch: -32020,
  versionUnsupported: -32022,
})

/** What answers give back of a request: every id, and a method, version or name that is wrong. None is honestly that long. */
export const SAID_CHARS_MAX = 1_024

/** Whether a revision belongs to the family without sessions. Revisions are ISO dates, so text order is time order. */
export const isModernVersion = (version: string): boolean => version >= MODERN_VERSION

/** The value of a header that may appear once; an empty one counts as absent. */
export function headerOf(value: string | string[] | undefined): string | undefined {
  const single = Array.isArray(value) ? value[0] : value
  return single === '' ? undefined : single
}
