// The refusal of a request that its token does not cover: a challenge that names the scope to come back with.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { readableId, refuse } from '../../src/mcp/answer.ts'
import { CODE } from '../../src/mcp/protocol.ts'
import { challengeOf } from '../doors/challenge.ts'
import type { Need } from '../../src/mcp/scope-need.ts'
import { noteForbidden } from '../../src/runtime/invoke.ts'
import { sendAnswer } from './send.ts'

const MESSAGE = 'This access does not cover the request.'

/** @param session what the trail calls the session that it came in, if any */
export function refuseScope(
  request: FastifyRequest,
  reply: FastifyReply,
  { scope, tool }: Need,
  session: string | undefined,
): Promise<void> {
  const { caller, server } = request
  // Whoever tries what they may not do is told apart in the trail from whoever never tried.
  if (tool !== undefined) {
    const { publicName, server: of } = tool
    const call = { caller, server: of, tool: publicName, params: undefined }
    noteForbidden(server.catalog, tool, session === undefined ? call : { ...call, session })
  }
  const headers = {
    'www-authenticate': challengeOf(request, { error: 'insufficient_scope', description: MESSAGE, scope }),
  }
  const data = { code: 'SCOPE_INSUFFICIENT', hint: `Connect again and ask for the scope ${scope}.`, scope }
  return sendAnswer(reply, refuse(403, CODE.refused, MESSAGE, { id: readableId(request.body), headers, data }))
}
