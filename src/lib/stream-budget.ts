// The bound on answers that stay open: each holds a socket for as long as its client likes, so all of the gateway share one.

/** When a refused client should come again, in seconds. */
export const STREAM_RETRY_SECONDS = 5

/** One caller may not hold the last quarter, so that a client that leaks streams leaves room for the others. */
const RESERVED_FOR_OTHERS = 0.25

export class StreamBudget {
  readonly #max: number
  readonly #perCallerMax: number
  readonly #byCaller = new Map<string, number>()
  #open = 0
  #closed = false

  constructor(max: number) {
    this.#max = max
    this.#perCallerMax = max - Math.floor(max * RESERVED_FOR_OTHERS)
  }

  get open(): number {
    return this.#open
  }

  /**
   * Takes a place for one stream.
   * @returns gives the place back, once however often it is called; or a sentence saying why there is none
   */
  take(callerId: string): (() => void) | string {
    if (this.#closed) return 'The gateway is shutting down; come back in a moment'
    if (this.#open >= this.#max) return full(`${this.#max} streams`)
    if ((this.#byCaller.get(callerId) ?? 0) >= this.#perCallerMax)
      return full(`${this.#perCallerMax} streams of one caller`)
    this.#count(callerId, 1)
    let held = true
    return () => {
      if (held) this.#count(callerId, -1)
      held = false
    }
  }

  /** Gives no more places. The streams that are open stay counted until they end. */
  close(): void {
    this.#closed = true
  }

  #count(callerId: string, change: 1 | -1): void {
    this.#open += change
    const own = (this.#byCaller.get(callerId) ?? 0) + change
    if (own === 0) this.#byCaller.delete(callerId)
    else this.#byCaller.set(callerId, own)
  }
}

const full = (bound: string): string => `At most ${bound} can be open at once; close one or try again later`
