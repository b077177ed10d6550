// The protocol's own names and numbers, for those who speak it without the SDK. A test compares them with the SDK's.

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

export const MCP_META = Object.freeze({
  version: 'io.modelcontextprotocol/protocolVersion',
  clientInfo: 'io.modelcontextprotocol/clientInfo',
  clientCapabilities: 'io.modelcontextprotocol/clientCapabilities',
  logLevel: 'io.modelcontextprotocol/logLevel',
  serverInfo: 'io.modelcontextprotocol/serverInfo',
  relatedTask: 'io.modelcontextprotocol/related-task',
  subscriptionId: 'io.modelcontextprotocol/subscriptionId',
})

/** JSON-RPC 2.0 §5.1 and the codes MCP adds. */
export const RPC_CODE = Object.freeze({
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
