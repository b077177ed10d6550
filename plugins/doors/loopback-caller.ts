// Stands in for the door `caller` under --no-auth: every local program is the owner. The configuration only allows it out of reach.
import fp from 'fastify-plugin'
import type { FastifyInstance } from 'fastify'
import type { Caller } from '../../src/runtime/context.ts'
import { limited } from '../armour/limits.ts'
import { foreignOrigin } from '../armour/network.ts'
import type { Door } from './behind.ts'

const owner: Caller = Object.freeze({ id: 'loopback', kind: 'loopback', scopes: 'all' })

function open(app: FastifyInstance, _options: object, done: (error?: Error) => void): void {
  if (!app.config.noAuth) {
    done(new Error('The door without a token is only for --no-auth.'))
    return
  }
  const { clock } = app
  const { principals } = app.limits
  app.decorateRequest('caller')
  app.decorateRequest('pass')
  app.addHook('onRequest', (request, _reply, next) => {
    // A page of another site can have something fetched without Origin, and nobody here asks for a token that it lacks.
    const { origin, 'sec-fetch-site': site } = request.raw.headers
    if (origin === undefined && site === 'cross-site') return next(foreignOrigin())
    const now = clock.now()
    if (!principals.charge(owner.id, now)) return next(limited(principals, owner.id, now))
    request.caller = owner
    next()
  })
  done()
}

export const loopbackCaller: Door = Object.freeze({
  name: 'loopback-caller',
  limit: 'per caller',
  // The name that rooms depend on: behind either door `request.caller` is there.
  plugin: fp(open, { name: 'doors/caller', dependencies: ['armour/guard'], fastify: '5.x' }),
})
