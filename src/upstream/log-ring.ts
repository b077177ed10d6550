// The last lines that a source caused, for the operator.
export interface LogLine {
  /** Epoch milliseconds. */
  readonly at: number
  readonly level: 'debug' | 'warn'
  readonly message: string
  readonly detail: object
}

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
    this.#lines.push({ at: this.#now(), level, message, detail })
    if (this.#lines.length > this.#max) this.#lines.shift()
  }
}
