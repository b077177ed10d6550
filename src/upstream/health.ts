// When a source may be started: at once, after a pause, or not for now (the circuit is open). One for all connections of a
// source, since what keeps one from starting keeps the others. Pure but for the clock and the randomness that it is given.
import type { HubLimits } from './limits.ts'
import type { Timers } from './timers.ts'

export type Circuit = 'closed' | 'open' | 'half-open'

export type Verdict =
  | { readonly kind: 'go' }
  /** Milliseconds until it is worth asking again. */
  | { readonly kind: 'wait'; readonly ms: number }
  /** Calls fail at once; one try will be made in so many milliseconds. */
  | { readonly kind: 'open'; readonly ms: number; readonly reason: string }

type Bounds = Pick<HubLimits, 'healthyMs' | 'backoffMs' | 'backoffMaxMs' | 'failuresMax' | 'pauseMs' | 'pauseMaxMs'>

/** Others look again so soon while one connection tries whether the source is back. */
const PROBE_LOOK_MS = 250
const GO: Verdict = Object.freeze({ kind: 'go' })

export class Health {
  readonly #bounds: Bounds
  readonly #timers: Timers
  readonly #random: () => number
  #failures = 0
  #notBefore = 0
  /** The source is tried after a pause; whoever else wants to start it waits for the outcome. */
  #isProbed = false
  /** A try succeeded since the circuit opened. Failures are only forgiven for lasting health. */
  #isTrusted = true
  #reason = ''

  /** @param random as `Math.random` */
  constructor(bounds: Bounds, timers: Timers, random: () => number) {
    this.#bounds = bounds
    this.#timers = timers
    this.#random = random
  }

  get failures(): number {
    return this.#failures
  }
  /** Why it failed last, for the operator; empty while it never did or is well again. */
  get reason(): string {
    return this.#reason
  }
  get circuit(): Circuit {
    if (this.#isTrusted) return 'closed'
    return this.#isProbed || this.#timers.now() >= this.#notBefore ? 'half-open' : 'open'
  }

  verdict(): Verdict {
    const ms = this.#notBefore - this.#timers.now()
    if (this.#isTrusted) return ms > 0 ? { kind: 'wait', ms } : GO
    if (this.#isProbed) return { kind: 'wait', ms: PROBE_LOOK_MS }
    return ms > 0 ? { kind: 'open', ms, reason: this.#reason } : GO
  }

  /** A start begins that the verdict allowed. */
  begun(): void {
    if (!this.#isTrusted) this.#isProbed = true
  }

  /** A start came to nothing because nobody wants it any more. */
  abandoned(): void {
    this.#isProbed = false
  }

  ready(): void {
    this.#isProbed = false
    this.#isTrusted = true
    this.#notBefore = 0
  }

  /** A start failed, or a connection ended that had not been there for long. */
  failed(reason: string): void {
    const { failuresMax, backoffMs, backoffMaxMs, pauseMs, pauseMaxMs } = this.#bounds
    this.#failures++
    this.#reason = reason
    this.#isProbed = false
    this.#isTrusted = this.#failures < failuresMax
    const pause = this.#isTrusted
      ? this.#random() * Math.min(backoffMaxMs, backoffMs * 2 ** (this.#failures - 1))
      : Math.min(pauseMaxMs, pauseMs * 2 ** Math.min(this.#failures - failuresMax, 30))
    this.#notBefore = this.#timers.now() + pause
  }

  /** A connection ended after so many milliseconds. @param reason absent where we ended it ourselves */
  ended(aliveMs: number, reason?: string): void {
    if (aliveMs >= this.#bounds.healthyMs) {
      this.#failures = 0
      this.#reason = reason ?? ''
    } else if (reason !== undefined) this.failed(reason)
  }
}
