// The profile that an address names: `/router/mcp?profile=direct`. Behind the door, so that a stranger learns no name of one.
import type { FastifyRequest } from 'fastify'
import { isRecord } from '../../src/lib/json.ts'
import type { Endpoint } from '../../src/mcp/wire.ts'
import type { Caller } from '../../src/runtime/context.ts'
import { withProfile } from '../../src/runtime/profiles/profile.ts'

/** What depends on a profile; a call does not, and goes on when its profile was removed. */
const SHOWING: ReadonlySet<unknown> = new Set(['initialize', 'server/discover', 'tools/list'])

/**
 * Who calls, as they asked to be shown this server.
 * @throws DomainError PROFILE_UNKNOWN for whoever connects under a name that no profile has
 */
export function shownAs({ served }: Pick<Endpoint, 'served'>, request: FastifyRequest): Caller {
  const { caller, query } = request
  if (served.profiled === undefined || !isRecord(query) || query['profile'] === undefined) return caller
  const { profiles } = request.server.gateway
  const asked: unknown = query['profile']
  const name = typeof asked === 'string' ? asked : ''
  if (profiles.find(name) !== undefined) return withProfile(caller, name)
  if (shows(request)) profiles.named(name)
  return caller
}

/** A session was told when it was opened, and goes on. */
function shows({ body, headers, method }: FastifyRequest): boolean {
  if (headers['mcp-session-id'] !== undefined) return false
  return method === 'GET' || (isRecord(body) && SHOWING.has(body['method']))
}
