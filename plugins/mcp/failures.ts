// The JSON-RPC dialect of failures: what the doors, the parser or a bug throw, in the words an MCP client reads.
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { refuse, readableId } from '../../src/mcp/answer.ts'
import { CODE } from '../../src/mcp/protocol.ts'
import { answerFailure } from '../armour/errors.ts'
import type { Failure } from '../armour/failure.ts'
import { drain } from './drain.ts'
import { sendAnswer } from './send.ts'

/** An error handler for the routes of this room. Status and headers are the ones every dialect shares. */
export async function rpcFailure(error: FastifyError, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const failure = answerFailure(error, request, reply)
  if (failure.status === 413) await drain(request.raw)
  const { code, message } = rpcOf(failure)
  const data = { code: failure.code, ...(failure.hint === undefined ? {} : { hint: failure.hint }) }
  return sendAnswer(reply, refuse(failure.status, code, message, { id: readableId(request.body), data }))
}

function rpcOf({ status, code, message }: Failure): { code: number; message: string } {
  if (code === 'JSON_INVALID') return { code: CODE.parse, message: 'Parse error: the request body is not valid JSON' }
  if (code === 'JSON_EXCESSIVE') return { code: CODE.invalidRequest, message: `Invalid Request: ${message}` }
  if (status === 415)
    return { code: CODE.refused, message: 'Unsupported Media Type: Content-Type must be application/json' }
  if (status === 413) return { code: CODE.refused, message: `Payload Too Large: ${message}` }
  return { code: status >= 500 ? CODE.internal : CODE.refused, message }
}
