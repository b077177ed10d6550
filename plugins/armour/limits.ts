// The three budgets of requests: visitors of open rooms and strangers by address, identified callers by who they are. The
// doors charge them.
import fp from 'fastify-plugin'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { AccessError } from '../../src/errors.ts'
import { addressOf, networkOf } from '../../src/lib/address.ts'
import { FixedWindow } from '../../src/lib/fixed-window.ts'
import { MINUTE_MS } from '../../src/lib/time.ts'

declare module 'fastify' {
  interface FastifyInstance {
    limits: Limits
  }
}

interface Limits {
  /** Reads of what is open to everybody, by address. A monitor that spends them locks out nobody who has a token. */
  readonly visitors: FixedWindow
  /** Failures to get in and paths that nothing answers, by address; see `networkOf`. */
  readonly strangers: FixedWindow
  /** By `caller.id`. Per minute on average, over a window long enough that a burst of work passes. */
  readonly principals: FixedWindow
}

const PRINCIPAL_WINDOW_MINUTES = 15

/**
 * What a request of nobody known is counted under: its address. Any page that the owner looks at can make his browser send
 * requests from his address; they are counted beside it, so that they use up nothing of the programs on his machine.
 */
export function strangerOf(request: FastifyRequest): string {
  const network = networkOf(addressOf(request.ip))
  return isOfAPage(request) ? `${network} pages` : network
}

/** Browsers say so themselves: no page can leave out either header. Others come to share one more budget by it. */
function isOfAPage({ raw: { headers }, routeOptions }: FastifyRequest): boolean {
  if (headers['sec-fetch-site'] === 'cross-site') return true
  return headers.origin !== undefined && routeOptions.config.cors === 'open'
}

/** The refusal of a spent budget. */
export function limited(window: FixedWindow, key: string, now: number): AccessError {
  const retryAfterMs = window.retryAfterMs(key, now)
  const seconds = Math.max(1, Math.ceil(retryAfterMs / 1000))
  return new AccessError('limited', 'LIMITED', 'Too many requests.', {
    retryAfterMs,
    hint: `Try again in ${seconds} s.`,
  })
}

/**
 * Charges an identified caller for what else their request turned out to hold.
 * @param count bounded by whoever found it
 * @throws AccessError once the budget is spent; what was charged stays so, as it would for single requests
 */
export function chargeMore(
  {
    caller,
    server: {
      clock,
      limits: { principals },
    },
  }: FastifyRequest,
  count: number,
): void {
  const now = clock.now()
  for (let charged = 0; charged < count; charged++)
    if (!principals.charge(caller.id, now)) throw limited(principals, caller.id, now)
}

function limits(app: FastifyInstance, _options: object, done: () => void): void {
  const { strangerMax, strangerWindowMs, principalPerMinute } = app.config.limits
  app.decorate('limits', {
    visitors: new FixedWindow({ max: strangerMax, windowMs: strangerWindowMs }),
    strangers: new FixedWindow({ max: strangerMax, windowMs: strangerWindowMs }),
    principals: new FixedWindow({
      max: principalPerMinute * PRINCIPAL_WINDOW_MINUTES,
      windowMs: PRINCIPAL_WINDOW_MINUTES * MINUTE_MS,
    }),
  })
  done()
}

export default fp(limits, { name: 'armour/limits', dependencies: ['armour/errors', 'ground/gateway'], fastify: '5.x' })
