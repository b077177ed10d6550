// A bounded map that keeps what was asked for last.

export class Recent<Key, Value> {
  readonly #max: number
  readonly #kept = new Map<Key, Value>()

  /** @param max at least 1 */
  constructor(max: number) {
    this.#max = max
  }

  get size(): number {
    return this.#kept.size
  }

  get(key: Key): Value | undefined {
    const value = this.#kept.get(key)
    if (value === undefined) return undefined
    this.#kept.delete(key)
    this.#kept.set(key, value)
    return value
  }

  /** Forgets what nobody has asked for the longest where there are too many. */
  set(key: Key, value: Value): void {
    this.#kept.delete(key)
    this.#kept.set(key, value)
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= this.#max) return
      this.#kept.delete(oldest)
    }
  }

  clear(): void {
    this.#kept.clear()
  }

  values(): Iterable<Value> {
    return this.#kept.values()
  }
}
