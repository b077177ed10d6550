// Work that is asked for again and again: at once while that is rare, bundled where it is not, never twice at a time.
import type { Timers } from './timers.ts'

/** So many runs within the window are as they come; more wait. */
const BURST = 10

export class Throttle {
  readonly #work: () => Promise<void>
  readonly #timers: Timers
  readonly #windowMs: number
  readonly #starts: number[] = []
  #running: Promise<void> | undefined
  #isAsked = false
  #cancel: (() => void) | undefined

  /** @param work deals with its own failures. @param everyMs between runs, in the long run */
  constructor(work: () => Promise<void>, timers: Timers, everyMs: number) {
    this.#work = work
    this.#timers = timers
    this.#windowMs = everyMs * BURST
  }

  /** What is asked while it runs is done once more afterwards. */
  ask(): void {
    this.#isAsked = true
    if (this.#running === undefined && this.#cancel === undefined) this.#next()
  }

  /** Resolves when the run that is under way, or one that begins now, is over. */
  ensure(): Promise<void> {
    if (this.#running === undefined) this.ask()
    return this.#running ?? Promise.resolve()
  }

  stop(): void {
    this.#isAsked = false
    this.#cancel?.()
  }

  #next(): void {
    const now = this.#timers.now()
    while (this.#starts.length > 0 && (this.#starts[0] ?? 0) <= now - this.#windowMs) this.#starts.shift()
    const [oldest] = this.#starts
    if (oldest !== undefined && this.#starts.length >= BURST) {
      this.#cancel = this.#timers.later(oldest + this.#windowMs - now, () => {
        this.#cancel = undefined
        if (this.#isAsked) this.#next()
      })
      return
    }
    this.#starts.push(now)
    this.#isAsked = false
    this.#running = this.#work().finally(() => {
      this.#running = undefined
      if (this.#isAsked) this.#next()
    })
  }
}
