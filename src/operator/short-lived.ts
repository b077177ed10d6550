// Values that live in memory for minutes, one per key: what a form began and the next page ends. Bounded, and never on disk.

export class ShortLived<V> {
  readonly #lifeMs: number
  readonly #max: number
  readonly #kept = new Map<number, { readonly value: V; readonly until: number }>()

  constructor(lifeMs: number, max = 100) {
    this.#lifeMs = lifeMs
    this.#max = max
  }

  put(key: number, value: V, now: number): void {
    this.#kept.delete(key)
    for (const [oldest, { until }] of this.#kept) {
      if (this.#kept.size < this.#max && until > now) break
      this.#kept.delete(oldest)
    }
    this.#kept.set(key, { value, until: now + this.#lifeMs })
  }

  peek(key: number, now: number): V | undefined {
    const kept = this.#kept.get(key)
    return kept === undefined || kept.until <= now ? undefined : kept.value
  }

  /** Gives the value out, once. */
  take(key: number, now: number): V | undefined {
    const value = this.peek(key, now)
    this.#kept.delete(key)
    return value
  }
}
