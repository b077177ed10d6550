// The door for AI clients: look at the address, identify by bearer token, then charge whoever it turned out to be.
import fp from 'fastify-plugin'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { AccessError } from '../../src/errors.ts'
import { challenge, readBearer } from '../../src/oauth/bearer.ts'
import { digestOf } from '../../src/oauth/verified.ts'
import type { Caller } from '../../src/runtime/context.ts'
import { limited, strangerOf } from '../armour/limits.ts'
import type { Door } from './behind.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Who calls. There behind the door `caller` only. */
    caller: Caller
  }
}

/**
 * A spent address is refused before anything is looked up, but a token verified a moment ago passes: a flood of bad
 * tokens from one address does not lock out the client that shares it.
 */
function open(app: FastifyInstance, _options: object, done: () => void): void {
  const { clock, tokens } = app
  const { strangers, principals } = app.limits
  app.decorateRequest('caller')
  app.addHook('onRequest', (request: FastifyRequest, reply: FastifyReply, next: (error?: Error) => void) => {
    const now = clock.now()
    const token = readBearer(request.raw.headers.authorization)
    const digest = typeof token === 'string' ? digestOf(token) : ''
    let entry = tokens.verified.find(digest, now)
    if (entry === undefined) {
      const stranger = strangerOf(request)
      if (strangers.isSpent(stranger, now)) return next(limited(strangers, stranger, now))
      try {
        entry = tokens.verify(token ?? '', digest)
      } catch (error) {
        if (!(error instanceof AccessError)) throw error
        strangers.charge(stranger, now)
        reply.raw.setHeader('www-authenticate', challenge(token === undefined ? undefined : 'invalid_token'))
        return next(token === undefined ? noCredentials() : error)
      }
    }
    if (!principals.charge(entry.caller.id, now)) return next(limited(principals, entry.caller.id, now))
    entry.used(now)
    request.caller = entry.caller
    next()
  })
  done()
}

const noCredentials = (): AccessError =>
  new AccessError('unauthenticated', 'TOKEN_REQUIRED', 'This needs a bearer token.', {
    hint: 'Send it in the Authorization header; `crow token create` makes one.',
  })

export const caller: Door = Object.freeze({
  name: 'caller',
  limit: 'failures: strangers, by address; then per caller',
  plugin: fp(open, { name: 'doors/caller', dependencies: ['armour/guard'], fastify: '5.x' }),
})
