// Refusals that both transports of sessions give in the same words.
import { readableId, refuse, type Answer } from './answer.ts'
import type { Exchange } from './exchange.ts'
import { CODE, headerOf, SESSION_VERSIONS } from './protocol.ts'

const BUSY_RETRY_SECONDS = '30'

/** 400 for a version header that no session speaks; absent and empty mean the negotiated one. */
export function versionRefusal(exchange: Exchange): Answer | undefined {
  const version = headerOf(exchange.headers['mcp-protocol-version'])
  if (version === undefined || SESSION_VERSIONS.includes(version)) return undefined
  const message = `Bad Request: Unsupported protocol version: ${version} (supported versions: ${SESSION_VERSIONS.join(', ')})`
  return refuse(400, CODE.refused, message, { id: readableId(exchange.body) })
}

export const tooManySessions = (body: unknown): Answer =>
  refuse(503, CODE.refused, 'Too many sessions are in use; end one or try again later', {
    id: readableId(body),
    headers: { 'retry-after': BUSY_RETRY_SECONDS },
  })
