// The door of the owner: count, look for the session of the cookie, then refuse what another site made the browser send.
import fp from 'fastify-plugin'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { AccessError } from '../../src/errors.ts'
import type { OperatorSession } from '../../src/operator/queries.ts'
import { limited, strangerOf } from '../armour/limits.ts'
import { refuseForeignForm } from '../armour/self.ts'
import type { Door } from './behind.ts'
import { operatorOf } from './operator-cookie.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The session of whoever is signed in. There behind the door `operator` only. */
    operator: OperatorSession
  }
}

/**
 * The address is charged before anything is looked at, and gets it back when the owner is found: then the session is
 * charged. So a flood from the owner's own address keeps strangers out, and not the owner.
 */
function open(app: FastifyInstance, _options: object, done: () => void): void {
  const { clock, limits } = app
  app.decorateRequest('operator')
  app.addHook('onRequest', (request: FastifyRequest, _reply, next: (error?: Error) => void) => {
    const stranger = strangerOf(request)
    const now = clock.now()
    const isWithin = limits.strangers.charge(stranger, now)
    const session = operatorOf(request)
    if (session === undefined) return next(isWithin ? loginRequired() : limited(limits.strangers, stranger, now))
    if (isWithin) limits.strangers.refund(stranger)
    const principal = `operator:${session.id}`
    if (!limits.principals.charge(principal, now)) return next(limited(limits.principals, principal, now))
    refuseForeignForm(request)
    request.operator = session
    next()
  })
  done()
}

const loginRequired = (): AccessError =>
  new AccessError('unauthenticated', 'LOGIN_REQUIRED', 'This is for the owner of this gateway.', {
    hint: 'Sign in at /login.',
  })

export const operator: Door = Object.freeze({
  name: 'operator',
  limit: 'without a session: strangers, by address; then per session',
  plugin: fp(open, { name: 'doors/operator', dependencies: ['armour/guard', 'armour/cookies'], fastify: '5.x' }),
})
