// The protocol as this side of the wire needs it, for the paths that run without the SDK.
import { MODERN_VERSION } from '../lib/mcp-names.ts'

export { MCP_META as META, MODERN_VERSION, RPC_CODE as CODE, SESSION_VERSIONS } from '../lib/mcp-names.ts'

/** Which protocol families a mount serves. */
export type Eras = 'both' | '2025' | '2026'

/** What answers give back of a request: every id, and a method, version or name that is wrong. None is honestly that long. */
export const SAID_CHARS_MAX = 1_024

/** Whether a revision belongs to the family without sessions. Revisions are ISO dates, so text order is time order. */
export const isModernVersion = (version: string): boolean => version >= MODERN_VERSION

/** The value of a header that may appear once; an empty one counts as absent. */
export function headerOf(value: string | string[] | undefined): string | undefined {
  const single = Array.isArray(value) ? value[0] : value
  return single === '' ? undefined : single
}
