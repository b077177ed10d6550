// The default dialect of failures: problem details (RFC 9457). A room that speaks another sets its own handler.
import fp from 'fastify-plugin'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { describeFailure, type Failure } from './failure.ts'

/** Notes what only the log may know, and sets the status and the headers that every dialect shares. */
export function answerFailure(error: unknown, request: FastifyRequest, reply: FastifyReply): Failure {
  const failure = describeFailure(error)
  if (failure.status >= 500) {
    const detail = { err: error, requestId: request.id, method: request.method, route: request.routeOptions.url }
    request.log.error(detail, failure.message)
  }
  if (failure.retryAfterMs !== undefined)
    reply.header('retry-after', Math.max(1, Math.ceil(failure.retryAfterMs / 1000)))
  reply.code(failure.status)
  return failure
}

/** The body of a failure as problem details, in one line of JSON. */
export function problemOf(failure: Failure, requestId: string): string {
  const { status, code, message, hint, fields } = failure
  return JSON.stringify({
    type: 'about:blank',
    title: code,
    status,
    code,
    detail: message,
    hint,
    errors: fields,
    requestId,
  })
}

function errors(app: FastifyInstance, _options: object, done: () => void): void {
  app.setErrorHandler((error: FastifyError, request, reply) => {
    const failure = answerFailure(error, request, reply)
    return reply.type('application/problem+json').send(problemOf(failure, request.id))
  })
  done()
}

export default fp(errors, { name: 'armour/errors', fastify: '5.x' })
