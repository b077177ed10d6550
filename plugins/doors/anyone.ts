// The door without a lock: nobody is asked who they are, everybody is counted.
import fp from 'fastify-plugin'
import type { FastifyInstance } from 'fastify'
import { limited, strangerOf } from '../armour/limits.ts'
import type { Door } from './behind.ts'

function open(app: FastifyInstance, _options: object, done: () => void): void {
  const {
    clock,
    limits: { visitors },
  } = app
  app.addHook('onRequest', (request, _reply, next) => {
    const stranger = strangerOf(request)
    const now = clock.now()
    if (visitors.charge(stranger, now)) next()
    else next(limited(visitors, stranger, now))
  })
  done()
}

export const anyone: Door = Object.freeze({
  name: 'anyone',
  limit: 'visitors, by address',
  plugin: fp(open, { name: 'doors/anyone', dependencies: ['armour/guard'], fastify: '5.x' }),
})
