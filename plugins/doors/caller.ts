// The door for AI clients: look at the address, identify by bearer token, then charge whoever it turned out to be.
import type { IncomingMessage } from 'node:http'
import fp from 'fastify-plugin'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { AccessError } from '../../src/errors.ts'
import { challenge, readBearer } from '../../src/oauth/bearer.ts'
import { digestOf, type VerifiedToken } from '../../src/oauth/verified.ts'
import type { Caller } from '../../src/runtime/context.ts'
import { limited, strangerOf } from '../armour/limits.ts'
import type { Door } from './behind.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Who calls. There behind the door `caller` only. */
    caller: Caller
    /** What let them in; undefined where nobody needs a token. */
    pass: VerifiedToken | undefined
  }
}

/**
 * Hashing costs more than the rest of this door, and a client sends the same header on its connection again and again. A
 * connection that a proxy shares among clients is hashed each time, so that no client is compared with another's secret.
 */
class ConnectionDigests {
  readonly #last = new WeakMap<object, { readonly header: string; readonly digest: string }>()

  of({ socket, headers }: IncomingMessage, header: string): string {
    if (headers['x-forwarded-for'] !== undefined || headers.forwarded !== undefined) return digestOf(header)
    const last = this.#last.get(socket)
    if (last !== undefined && last.header === header) return last.digest
    const digest = digestOf(header)
    this.#last.set(socket, { header, digest })
    return digest
  }
}

/**
 * A spent address is refused before anything is looked up, but a token verified before passes, also when it has to be
 * looked up again: a flood of bad tokens from one address does not lock out the client that shares it.
 */
function open(app: FastifyInstance, _options: object, done: () => void): void {
  const { clock, tokens } = app
  const { principals } = app.limits
  const digests = new ConnectionDigests()
  app.decorateRequest('caller')
  app.decorateRequest('pass')
  app.addHook('onRequest', (request: FastifyRequest, reply: FastifyReply, next: (error?: Error) => void) => {
    const now = clock.now()
    const header = request.raw.headers.authorization
    let entry = header === undefined ? undefined : tokens.verified.find(digests.of(request.raw, header), now)
    if (entry === undefined) {
      const identified = identify(app, request, reply, now)
      if (identified instanceof AccessError) return next(identified)
      entry = identified
    }
    if (!principals.charge(entry.caller.id, now)) return next(limited(principals, entry.caller.id, now))
    entry.used(now)
    request.caller = entry.caller
    request.pass = entry
    next()
  })
  done()
}

/** Who this is, or why they may not come in; a failure charges the address. */
function identify(
  { limits: { strangers }, tokens }: FastifyInstance,
  request: FastifyRequest,
  reply: FastifyReply,
  now: number,
): VerifiedToken | AccessError {
  const stranger = strangerOf(request)
  const header = request.raw.headers.authorization
  if (strangers.isSpent(stranger, now) && !tokens.verified.recall(digestOf(header ?? '')))
    return limited(strangers, stranger, now)
  const token = readBearer(header)
  try {
    const entry = tokens.verify(token ?? '')
    tokens.verified.remember(digestOf(header ?? ''), entry)
    return entry
  } catch (error) {
    if (!(error instanceof AccessError)) throw error
    strangers.charge(stranger, now)
    reply.header('www-authenticate', challenge(token === undefined ? undefined : 'invalid_token'))
    return token === undefined ? noCredentials() : error
  }
}

const noCredentials = (): AccessError =>
  new AccessError('unauthenticated', 'TOKEN_REQUIRED', 'This needs a bearer token.', {
    hint: 'Send it in the Authorization header; `bin/crow token create` in the folder of Crow makes one.',
  })

export const caller: Door = Object.freeze({
  name: 'caller',
  limit: 'failures: strangers, by address; then per caller',
  plugin: fp(open, { name: 'doors/caller', dependencies: ['armour/guard'], fastify: '5.x' }),
})
