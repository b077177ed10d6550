// The requests that wait for an answer, and until when. One timer for all of them: it stands at the earliest deadline seen,
// so that a request that is answered in time costs none.
import type { JsonObject, RequestOptions } from '../link.ts'

/** How much later than its deadline a request may be found out, in milliseconds. */
const COARSE_MS = 20
/** The longest a timer can be set for. */
const TIMER_MS_MAX = 2_147_483_647

export interface WaitOptions {
  readonly method: string
  readonly timeoutMs: number
  readonly totalMs: number
  readonly onProgress: RequestOptions['onProgress']
  readonly signal: AbortSignal | undefined
  /** Whether it is somebody's call; what a link asks for itself is not. */
  readonly counts: boolean
}

/** One request. */
export class Waiting {
  readonly id: number
  readonly options: WaitOptions
  readonly answered: Promise<JsonObject>
  readonly #table: PendingTable
  readonly #latest: number
  resolve: (result: JsonObject) => void = () => undefined
  reject: (reason: unknown) => void = () => undefined
  deadline: number

  constructor(table: PendingTable, id: number, options: WaitOptions) {
    const now = performance.now()
    this.id = id
    this.options = options
    this.#table = table
    this.#latest = now + options.totalMs
    this.deadline = Math.min(now + options.timeoutMs, this.#latest)
    this.answered = new Promise((resolve, reject) => {
      this.resolve = resolve
      this.reject = reject
    })
    options.signal?.addEventListener('abort', this)
  }

  /** Called by the signal: one object instead of a function for each request. */
  handleEvent(): void {
    this.#table.giveUp(this, 'aborted')
  }

  progress(params: JsonObject): void {
    this.deadline = Math.min(performance.now() + this.options.timeoutMs, this.#latest)
    this.options.onProgress?.(params)
  }
}

export type GivenUp = 'aborted' | 'late'

export class PendingTable {
  readonly #waiting = new Map<number, Waiting>()
  readonly #onGivenUp: (waiting: Waiting, why: GivenUp) => void
  #lastId = 0
  #uncounted = 0
  #timer: NodeJS.Timeout | undefined
  #timerAt = Infinity

  /** @param onGivenUp told of a request that is waited for no longer; rejects it */
  constructor(onGivenUp: (waiting: Waiting, why: GivenUp) => void) {
    this.#onGivenUp = onGivenUp
  }

  /** How many of them are calls of somebody. */
  get size(): number {
    return this.#waiting.size - this.#uncounted
  }

  /** Whether we gave this id to a request, ever. */
  wasGiven(id: number): boolean {
    return Number.isInteger(id) && id >= 1 && id <= this.#lastId
  }

  add(options: WaitOptions): Waiting {
    const waiting = new Waiting(this, ++this.#lastId, options)
    this.#waiting.set(waiting.id, waiting)
    if (!options.counts) this.#uncounted++
    if (waiting.deadline + COARSE_MS < this.#timerAt) this.#arm(waiting.deadline + COARSE_MS)
    return waiting
  }

  get(id: number): Waiting | undefined {
    return this.#waiting.get(id)
  }

  /** Takes out a request that was answered or given up. @returns whether it still waited */
  remove(waiting: Waiting): boolean {
    if (!this.#waiting.delete(waiting.id)) return false
    if (!waiting.options.counts) this.#uncounted--
    waiting.options.signal?.removeEventListener('abort', waiting)
    return true
  }

  giveUp(waiting: Waiting, why: GivenUp): void {
    if (this.remove(waiting)) this.#onGivenUp(waiting, why)
  }

  /** Rejects all, and forgets the timer. */
  clear(reason: unknown): void {
    clearTimeout(this.#timer)
    this.#timerAt = Infinity
    for (const waiting of this.#waiting.values()) {
      this.remove(waiting)
      waiting.reject(reason)
    }
  }

  #arm(at: number): void {
    clearTimeout(this.#timer)
    this.#timerAt = at
    if (at === Infinity) return
    const delay = Math.min(Math.max(at - performance.now(), 1), TIMER_MS_MAX)
    this.#timer = setTimeout(() => this.#look(), delay)
    this.#timer.unref()
  }

  #look(): void {
    const now = performance.now()
    this.#timerAt = Infinity
    let next = Infinity
    for (const waiting of this.#waiting.values()) {
      if (waiting.deadline <= now) this.giveUp(waiting, 'late')
      else next = Math.min(next, waiting.deadline)
    }
    if (next + COARSE_MS < this.#timerAt) this.#arm(next + COARSE_MS)
  }
}
