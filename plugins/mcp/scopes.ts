// The refusal of a request that its token does not cover: a challenge that names the scope to come back with.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { readableId, refuse } from '../../src/mcp/answer.ts'
import { CODE } from '../../src/mcp/protocol.ts'
import { challengeOf } from '../doors/challenge.ts'
import { sendAnswer } from './send.ts'

const MESSAGE = 'This access does not cover the request.'

/** @param scope the one that is missing */
export function refuseScope(request: FastifyRequest, reply: FastifyReply, scope: string): Promise<void> {
  const headers = {
    'www-authenticate': challengeOf(request, { error: 'insufficient_scope', description: MESSAGE, scope }),
  }
  const data = { code: 'SCOPE_INSUFFICIENT', hint: `Connect again and ask for the scope ${scope}.`, scope }
  return sendAnswer(reply, refuse(403, CODE.refused, MESSAGE, { id: readableId(request.body), headers, data }))
}
