// POST /token: codes and refresh tokens become access tokens.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { createRefreshFlights } from '../../src/oauth/refresh-flights.ts'
import { giveBack } from '../../src/oauth/store/adapter.ts'
import { ask, send, type Answer } from './ask.ts'
import { formOf } from './form.ts'
import { canonicalResources } from './rewrite.ts'
import type { ProviderSource } from './source.ts'
import { spentBy } from './spent-by.ts'

export function createTokenEndpoint(app: FastifyInstance, provider: ProviderSource) {
  const flights = createRefreshFlights<Answer>(app.clock)
  app.addHook('onClose', (_instance, done) => {
    flights.clear()
    done()
  })
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const form = formOf(request)
    if (form === undefined) return send(reply, await ask(await provider(), request, questionOf(request)))
    canonicalResources(app, form)
    const made = await provider()
    const exchange = async (): Promise<Answer> => {
      const answer = await ask(made, request, questionOf(request, form))
      if (answer.status >= 500) await giveBackSpent(app, request)
      return answer
    }
    if (form.get('grant_type') !== 'refresh_token' || !form.has('refresh_token')) return send(reply, await exchange())
    return send(reply, await flights.fly({ authorization: request.headers.authorization, form }, exchange))
  }
}

async function giveBackSpent({ database, log }: FastifyInstance, request: FastifyRequest): Promise<void> {
  const spent = spentBy.get(request)
  if (spent === undefined) return
  await giveBack(database, spent.model, spent.id).catch((error: unknown) =>
    log.warn({ err: error }, 'a code or token was used up for nothing: its client has to connect again'),
  )
}

/** An endpoint for programs answers them in JSON, whatever they say they accept. */
export function questionOf(request: FastifyRequest, form?: URLSearchParams) {
  return {
    method: request.method,
    url: request.raw.url ?? '/',
    headers: { ...request.headers, accept: 'application/json' },
    body: form === undefined ? (typeof request.body === 'string' ? request.body : undefined) : form.toString(),
  }
}
