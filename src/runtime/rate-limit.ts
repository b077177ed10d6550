// A limit on calls per key in a sliding window. Deciding and recording are one step of the store, so parallel calls
// cannot all see the same free place.
import type { ToolContext } from './context.ts'
import { fault } from './fault.ts'
import { defineMiddleware, type Middleware } from './middleware.ts'

export interface RateDecision {
  readonly admitted: boolean
  /** Until a place is free, in milliseconds; 0 when admitted. */
  readonly retryAfterMs: number
}

export interface RateStore {
  /** Admits and records, or refuses and records nothing, in one atomic step. */
  take(
    key: string,
    rule: { readonly max: number; readonly windowMs: number },
    now: number,
  ): RateDecision | Promise<RateDecision>
}

export interface RateLimitOptions {
  readonly max: number
  readonly windowMs: number
  /** Whose calls count together. Default: the caller's. */
  readonly key?: (ctx: ToolContext) => string
  readonly store?: RateStore
}

const KEYS_MAX = 10_000

/** @throws RangeError on a limit that makes no sense */
export function rateLimit(options: RateLimitOptions): Middleware {
  const { max, windowMs, key = (ctx) => ctx.caller.id, store = createRateStore() } = options
  if (!Number.isSafeInteger(max) || max < 1 || !(windowMs > 0))
    throw new RangeError('A rate limit needs max >= 1 and windowMs > 0.')
  return defineMiddleware(`rate-limit(${max}/${windowMs}ms)`, (ctx, input, next) => {
    const decision = store.take(key(ctx), { max, windowMs }, ctx.clock.now())
    return decision instanceof Promise ? decision.then((made) => go(made)) : go(decision)
    function go({ admitted, retryAfterMs }: RateDecision): unknown {
      return admitted
        ? next(ctx, input)
        : fault('RATE_LIMITED', `At most ${max} calls in ${windowMs / 1000} seconds.`, { retryAfterMs })
    }
  })
}

/** In memory, for one process. Refused calls do not extend the wait; the key unused longest makes room. */
export function createRateStore(keysMax: number = KEYS_MAX): RateStore {
  const admittedAt = new Map<string, number[]>()
  return {
    take(key, { max, windowMs }, now) {
      const times = (admittedAt.get(key) ?? []).filter((time) => time > now - windowMs && time <= now)
      const [oldest] = times
      const admitted = times.length < max || oldest === undefined
      if (admitted) times.push(now)
      admittedAt.delete(key)
      admittedAt.set(key, times)
      if (admittedAt.size > keysMax) dropFirst(admittedAt)
      return decide(admitted, oldest, windowMs, now)
    },
  }
}

function decide(admitted: boolean, oldest: number | undefined, windowMs: number, now: number): RateDecision {
  return { admitted, retryAfterMs: admitted || oldest === undefined ? 0 : Math.max(1, oldest + windowMs - now) }
}

function dropFirst(map: Map<string, unknown>): void {
  for (const first of map.keys()) {
    map.delete(first)
    return
  }
}
