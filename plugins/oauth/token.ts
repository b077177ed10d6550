// POST /token: codes and refresh tokens become access tokens.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { AccessError } from '../../src/errors.ts'
import { isRecord } from '../../src/lib/json.ts'
import { createRefreshFlights } from '../../src/oauth/refresh-flights.ts'
import { giveBack, isUnspent } from '../../src/oauth/store/adapter.ts'
import { ask, send, type Answer } from './ask.ts'
import { formOf } from './form.ts'
import { canonicalResources } from './rewrite.ts'
import type { ProviderSource } from './source.ts'
import { spentBy } from './spent-by.ts'

export function createTokenEndpoint(app: FastifyInstance, provider: ProviderSource) {
  const flights = createRefreshFlights<Answer>(app.clock, (answer) => isStillGood(app, answer))
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
      if (answer.status !== 200) await giveBackSpent(app, request)
      return answer
    }
    if (form.get('grant_type') !== 'refresh_token' || !form.has('refresh_token')) return send(reply, await exchange())
    return send(reply, await flights.fly({ authorization: request.headers.authorization, form }, exchange))
  }
}

/**
 * An answer is not given again when what it holds lets nobody in any more, or its refresh token was used, also where another
 * process was asked: then whoever still has the old one may be a thief.
 */
function isStillGood({ database, tokens }: FastifyInstance, { body }: Answer): boolean {
  const parsed: unknown = JSON.parse(body)
  const { access_token: access, refresh_token: successor } = isRecord(parsed) ? parsed : {}
  if (typeof successor === 'string' && !isUnspent(database, successor)) return false
  try {
    return typeof access === 'string' && tokens.verify(access) !== undefined
  } catch (error) {
    if (error instanceof AccessError) return false
    throw error
  }
}

async function giveBackSpent({ database, log }: FastifyInstance, request: FastifyRequest): Promise<void> {
  const spent = spentBy.get(request)
  if (spent === undefined) return
  await giveBack(database, spent.model, spent.id, spent.successor).catch((error: unknown) =>
    log.warn({ err: error }, 'a code or token was used up for nothing: its client has to connect again'),
  )
}

/** A client that was let in has a budget of its own, whoever else comes through the same proxy. */
export function clientBudget({ authorizations }: FastifyInstance) {
  return (request: FastifyRequest): string | undefined => {
    const id = formOf(request)?.get('client_id') ?? nameIn(request.headers.authorization)
    return id !== undefined && id !== '' && authorizations.knows(id) ? `client ${id}` : undefined
  }
}

/** The name in HTTP Basic credentials, where it is form-encoded (RFC 6749 §2.3.1); anything that cannot be read is nobody's. */
function nameIn(authorization: string | undefined): string | undefined {
  const encoded = /^Basic +([\w+/=-]+)$/i.exec(authorization ?? '')?.[1]
  const [name = ''] = encoded === undefined ? [] : Buffer.from(encoded, 'base64').toString('utf8').split(':', 1)
  return new URLSearchParams(`name=${name}`).get('name') ?? undefined
}

/** An endpoint for programs answers them in JSON, whatever they say they accept. */
export function questionOf(request: FastifyRequest, form?: URLSearchParams) {
  return {
    method: request.method,
    url: request.routeOptions.url ?? '/',
    headers: { ...request.headers, accept: 'application/json' },
    body: form === undefined ? (typeof request.body === 'string' ? request.body : undefined) : form.toString(),
  }
}
