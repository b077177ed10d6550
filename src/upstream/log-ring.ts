// The last lines that a source caused, for the operator.
export interface LogLine {
  /** Epoch milliseconds. */
  readonly at: number
  readonly level: 'debug' | 'warn'
  readonly message: string
  /** JSON, cut where it is long: it may be a stranger's. */
  readonly detail: string
}

const DETAIL_CHARS_MAX = 2_000

export class LogRing {
  readonly #max: number
  readonly #now: () => number
  readonly #lines: LogLine[] = []

  constructor(max: number, now: () => number) {
    this.#max = max
    this.#now = now
  }

  /** Oldest first. */
  get lines(): readonly LogLine[] {
    return [...this.#lines]
  }

  add(level: LogLine['level'], message: string, detail: object): void {
    const text = JSON.stringify(detail, (_key, value: unknown) => (value instanceof Error ? value.message : value))
    this.#lines.push({ at: this.#now(), level, message, detail: text.slice(0, DETAIL_CHARS_MAX) })
    if (this.#lines.length > this.#max) this.#lines.shift()
  }
}
