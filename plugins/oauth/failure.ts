// Failures for programs, in the dialect of RFC 6749 §5.2.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ErrorKind } from '../../src/errors.ts'
import { answerFailure } from '../armour/errors.ts'

const CODES: Readonly<Record<ErrorKind, string>> = {
  invalid: 'invalid_request',
  unauthenticated: 'invalid_client',
  forbidden: 'access_denied',
  missing: 'invalid_request',
  conflict: 'invalid_request',
  limited: 'slow_down',
  unavailable: 'temporarily_unavailable',
  internal: 'server_error',
}

const MEDIA_TYPES = 'Send the body as application/x-www-form-urlencoded; a registration as application/json.'

export function oauthFailure(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { kind, code, message, hint } = answerFailure(error, request, reply)
  // A status that clients of these endpoints know (RFC 6749 §5.2), and what is taken here.
  if (code === 'MEDIA_TYPE_UNSUPPORTED')
    return sendJson(reply.code(400), { error: 'invalid_request', error_description: MEDIA_TYPES })
  return sendJson(reply, { error: CODES[kind], error_description: hint === undefined ? message : `${message} ${hint}` })
}

/** The status is the reply's. */
export function sendJson(reply: FastifyReply, body: object): FastifyReply {
  return reply.type('application/json; charset=utf-8').send(JSON.stringify(body))
}
