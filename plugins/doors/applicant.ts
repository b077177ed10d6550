// The door for whoever asks for credentials: few attempts per address and endpoint, and a step that succeeds costs nothing.
import fp from 'fastify-plugin'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { FixedWindow } from '../../src/lib/fixed-window.ts'
import { isProxied } from '../armour/exposure.ts'
import { limited, strangerOf } from '../armour/limits.ts'
import type { Door } from './behind.ts'
import { deviceOf, operatorOf } from './operator-cookie.ts'

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
      /**
       * For what proves itself by its body, so that its success is charged to nobody: who is asking, once the body is read,
       * where everybody comes by the one address of a proxy. Undefined for somebody unknown.
       */
      readonly budgetOf?: (request: FastifyRequest) => string | undefined
    }
  }
}

const ATTEMPTS_MAX = 20
const WINDOW_MS = 15 * 60_000

/**
 * A browser on which the owner signed in before has a budget of its own: its neighbours cannot use it up. Of anybody else
 * what is given back is counted too, as much as strangers have elsewhere, so that nothing is free without end.
 */
function open(app: FastifyInstance, _options: object, done: () => void): void {
  const { clock, config: settings, log } = app
  const { strangerMax, strangerWindowMs } = settings.limits
  // Not the budget of strangers itself: a client that knocks with a bad token all day must not keep its owner from connecting it.
  const free = new FixedWindow({ max: strangerMax, windowMs: strangerWindowMs })
  const isUntold = (request: FastifyRequest): boolean => settings.trustedProxies.length === 0 && isProxied(request)
  let isWarned = false
  const attempts = new FixedWindow({ max: ATTEMPTS_MAX, windowMs: WINDOW_MS })
  const charged = new WeakMap<FastifyRequest, string>()
  app.decorateRequest('refund', function refund(this: FastifyRequest) {
    const key = charged.get(this)
    if (key === undefined) return
    charged.delete(this)
    attempts.refund(key)
    if (isFree(this) && operatorOf(this) === undefined) free.charge(strangerOf(this), clock.now())
  })
  app.addHook('onRequest', (request, _reply, next) => {
    const { config, url = '' } = request.routeOptions
    const device = deviceOf(request)
    const who = device === undefined ? strangerOf(request) : `device ${device}`
    const key = `${config.applicant?.endpoint ?? `${request.method} ${url}`} ${who}`
    const now = clock.now()
    if (!isWarned && isUntold(request)) {
      isWarned = true
      log.warn(
        'requests come through a proxy that CROW_TRUSTED_PROXIES does not name: all of them count as one address',
      )
    }
    if (isFree(request) && free.isSpent(strangerOf(request), now)) return next(limited(free, strangerOf(request), now))
    if (config.applicant?.budgetOf !== undefined && isUntold(request)) return next()
    if (!attempts.charge(key, now)) return next(limited(attempts, key, now))
    charged.set(request, key)
    next()
  })
  app.addHook('preHandler', (request, _reply, next) => {
    const { config, url = '' } = request.routeOptions
    const { budgetOf, endpoint = `${request.method} ${url}` } = config.applicant ?? {}
    if (budgetOf === undefined || !isUntold(request)) return next()
    const key = `${endpoint} ${budgetOf(request) ?? strangerOf(request)}`
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

/** Whether a success proves nothing, so that anybody could have as many as they like. */
function isFree(request: FastifyRequest): boolean {
  const { refund } = request.routeOptions.config.applicant ?? {}
  return (request.method === 'GET' || refund === 'never') && deviceOf(request) === undefined
}

export const applicant: Door = Object.freeze({
  name: 'applicant',
  limit: `${ATTEMPTS_MAX} in 15 minutes by address and endpoint; what succeeds is given back`,
  plugin: fp(open, {
    name: 'doors/applicant',
    dependencies: ['armour/guard', 'armour/cookies', 'armour/limits'],
    fastify: '5.x',
  }),
})
