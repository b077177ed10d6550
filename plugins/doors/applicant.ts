// The door for whoever asks for credentials: few attempts per address and endpoint, and a step that succeeds costs nothing.
import fp from 'fastify-plugin'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { FixedWindow } from '../../src/lib/fixed-window.ts'
import { limited, strangerOf } from '../armour/limits.ts'
import type { Door } from './behind.ts'
import { deviceOf } from './operator-cookie.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Takes back what this request was charged. Behind the door `applicant`; a second time does nothing. */
    refund(): void
  }
  interface FastifyContextConfig {
    applicant?: {
      /** When the charge is taken back: after an answer below 400 (the default), or only by `request.refund()`. */
      readonly refund?: 'success' | 'never'
      /** Name of the endpoint whose budget it charges; the path of the route unless given. */
      readonly endpoint?: string
    }
  }
}

const ATTEMPTS_MAX = 20
const WINDOW_MS = 15 * 60_000

/** A browser on which the owner signed in before has a budget of its own: its neighbours cannot use it up. */
function open(app: FastifyInstance, _options: object, done: () => void): void {
  const { clock } = app
  const attempts = new FixedWindow({ max: ATTEMPTS_MAX, windowMs: WINDOW_MS })
  const charged = new WeakMap<FastifyRequest, string>()
  app.decorateRequest('refund', function refund(this: FastifyRequest) {
    const key = charged.get(this)
    if (key === undefined) return
    charged.delete(this)
    attempts.refund(key)
  })
  app.addHook('onRequest', (request, _reply, next) => {
    const { config, url = '' } = request.routeOptions
    const device = deviceOf(request)
    const who = device === undefined ? strangerOf(request) : `device ${device}`
    const key = `${config.applicant?.endpoint ?? `${request.method} ${url}`} ${who}`
    const now = clock.now()
    if (!attempts.charge(key, now)) return next(limited(attempts, key, now))
    charged.set(request, key)
    next()
  })
  app.addHook('onResponse', (request, reply, next) => {
    // A client that hangs up before the answer has been told nothing, and pays.
    const isTold = reply.raw.headersSent && !request.raw.socket.destroyed
    const isGood = isTold && reply.raw.statusCode < 400
    if (isGood && request.routeOptions.config.applicant?.refund !== 'never') request.refund()
    next()
  })
  done()
}

export const applicant: Door = Object.freeze({
  name: 'applicant',
  limit: `${ATTEMPTS_MAX} in 15 minutes by address and endpoint; what succeeds is given back`,
  plugin: fp(open, { name: 'doors/applicant', dependencies: ['armour/guard', 'armour/cookies'], fastify: '5.x' }),
})
