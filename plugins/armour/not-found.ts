// What no room answers: counted like any stranger, before a byte of its body is read. Its hook is its own, so it costs no room anything.
import fp from 'fastify-plugin'
import type { FastifyInstance } from 'fastify'
import { GatewayError } from '../../src/errors.ts'
import { limited, strangerOf } from './limits.ts'

function notFound(app: FastifyInstance, _options: object, done: () => void): void {
  const { strangers } = app.limits
  app.addHook('onRequest', (request, _reply, next) => {
    const stranger = strangerOf(request)
    const now = app.clock.now()
    next(strangers.charge(stranger, now) ? missing() : limited(strangers, stranger, now))
  })
  app.setNotFoundHandler(() => {
    throw missing()
  })
  done()
}

const missing = (): GatewayError =>
  new GatewayError('missing', 'ROUTE_MISSING', 'There is nothing at this path for this method.')

export default fp(notFound, {
  name: 'armour/not-found',
  dependencies: ['armour/guard'],
  encapsulate: true,
  fastify: '5.x',
})
