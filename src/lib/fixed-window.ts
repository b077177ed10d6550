// Exact counters per key in windows of fixed length, bounded in memory. Pure: time is an argument.

interface Window {
  count: number
  startedAt: number
}

export interface FixedWindowOptions {
  /** How many charges one key may make per window. */
  readonly max: number
  readonly windowMs: number
  /** How many keys are remembered; beyond it the oldest windows are forgotten. */
  readonly keysMax?: number
}

/**
 * Counts per key. `charge` and `isSpent` are constant time and allocate only for a key not seen before.
 * A clock that goes back starts a fresh window instead of freezing the old one.
 */
export class FixedWindow {
  readonly max: number
  readonly windowMs: number
  readonly #keysMax: number
  readonly #windows = new Map<string, Window>()

  constructor(options: FixedWindowOptions) {
    this.max = options.max
    this.windowMs = options.windowMs
    this.#keysMax = options.keysMax ?? 10_000
  }

  /** Counts one. @returns whether it was within the bound */
  charge(key: string, now: number): boolean {
    const window = this.#windows.get(key)
    if (window === undefined || this.#isOver(window, now)) {
      this.#open(key, now)
      return this.max >= 1
    }
    if (window.count >= this.max) return false
    window.count++
    return true
  }

  /** Takes back one charge of the window that this key has now, if any. */
  refund(key: string): void {
    const window = this.#windows.get(key)
    if (window !== undefined && window.count > 0) window.count--
  }

  /** Whether the next charge would be refused. Counts nothing. */
  isSpent(key: string, now: number): boolean {
    const window = this.#windows.get(key)
    return window !== undefined && window.count >= this.max && !this.#isOver(window, now)
  }

  /** Milliseconds until the window of this key ends; 0 when it has none. */
  retryAfterMs(key: string, now: number): number {
    const window = this.#windows.get(key)
    return window === undefined || this.#isOver(window, now) ? 0 : window.startedAt + this.windowMs - now
  }

  get size(): number {
    return this.#windows.size
  }

  #isOver(window: Window, now: number): boolean {
    return now >= window.startedAt + this.windowMs || now < window.startedAt
  }

  /** A new window goes to the end of the map, so the front holds the oldest. */
  #open(key: string, now: number): void {
    this.#windows.delete(key)
    for (const [oldest, window] of this.#windows) {
      if (this.#windows.size < this.#keysMax && !this.#isOver(window, now)) break
      this.#windows.delete(oldest)
    }
    this.#windows.set(key, { count: 1, startedAt: now })
  }
}
