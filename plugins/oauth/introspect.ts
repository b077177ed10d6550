// POST /introspect (RFC 7662): for clients with a secret about their own tokens, and for the owner's own programs.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { AccessError } from '../../src/errors.ts'
import { readBearer } from '../../src/oauth/bearer.ts'
import { describeToken } from '../../src/oauth/introspection.ts'
import { INTROSPECT } from '../../src/oauth/scopes.ts'
import { ask, send } from './ask.ts'
import { sendJson } from './failure.ts'
import { formOf } from './form.ts'
import { plainToken } from './rewrite.ts'
import type { ProviderSource } from './source.ts'
import { questionOf } from './token.ts'

export function introspect(app: FastifyInstance, provider: ProviderSource) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const form = formOf(request)
    const { authorization } = request.headers
    if (readBearer(authorization) !== undefined) {
      if (!mayIntrospect(app, readBearer(authorization) ?? '')) return refuse(reply, 'Bearer')
      const token = form?.get('token')
      if (token === null || token === undefined)
        return sendJson(reply.code(400), { error: 'invalid_request', error_description: 'token is missing' })
      return sendJson(reply, describeToken(app, token))
    }
    // A public client proves nothing by its id.
    if (authorization === undefined && !form?.get('client_secret')) return refuse(reply, 'Basic')
    if (form !== undefined) plainToken(form)
    return send(reply, await ask(await provider(), request, questionOf(request, form)))
  }
}

function refuse(reply: FastifyReply, scheme: 'Basic' | 'Bearer'): FastifyReply {
  reply.code(401).header('www-authenticate', `${scheme} realm="crow"`)
  return sendJson(reply, { error: 'invalid_client', error_description: 'client authentication failed' })
}

/** A local token with the scope, or with every scope. */
function mayIntrospect({ tokens }: FastifyInstance, token: string): boolean {
  try {
    const { caller } = tokens.verify(token)
    return caller.kind === 'local' && (caller.scopes === 'all' || caller.scopes.has(INTROSPECT))
  } catch (error) {
    if (error instanceof AccessError) return false
    throw error
  }
}
