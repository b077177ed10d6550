// Endpoints where little of ours comes before the authorization server: registration, revocation, public keys.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { readRegistration } from '../../src/oauth/registration.ts'
import { ask, send } from './ask.ts'
import { sendJson } from './failure.ts'
import { formOf } from './form.ts'
import { plainToken } from './rewrite.ts'
import type { ProviderSource } from './source.ts'
import { questionOf } from './token.ts'

type Endpoint = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>

/** Dynamic client registration (RFC 7591). */
export function register(provider: ProviderSource): Endpoint {
  return async (request, reply) => {
    const read = readRegistration(parse(request.body))
    if ('error' in read) return sendJson(reply.code(400), read)
    const question = { ...questionOf(request), body: JSON.stringify(read.metadata) }
    question.headers['content-type'] = 'application/json'
    return send(reply, await ask(await provider(), request, question))
  }
}

/** Revocation (RFC 7009): of a client's own tokens; anything else is as if it were revoked. */
export function revoke(provider: ProviderSource): Endpoint {
  return async (request, reply) => {
    const form = formOf(request)
    if (form !== undefined) plainToken(form)
    const answer = await ask(await provider(), request, questionOf(request, form))
    // A client that is an address may have been fetched for this.
    const isStored = !URL.canParse(form?.get('client_id') ?? '')
    if (answer.status === 200 && isStored) request.refund()
    return send(reply, answer)
  }
}

export function keySet(provider: ProviderSource): Endpoint {
  return async (request, reply) => send(reply, await ask(await provider(), request, questionOf(request)))
}

/** What is no JSON is no registration either. */
function parse(body: unknown): unknown {
  if (typeof body !== 'string') return undefined
  try {
    return JSON.parse(body)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}
