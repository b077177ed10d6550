// Background starts, a few at a time. One that takes long goes on beside the next, so that what hangs holds nobody up.
import type { Timers } from './timers.ts'

export class StartGate {
  readonly #slots: number
  readonly #slowMs: number
  readonly #timers: Timers
  readonly #waiting: (() => Promise<void>)[] = []
  readonly #running = new Set<Promise<void>>()
  #busy = 0
  #isClosed = false

  constructor(slots: number, slowMs: number, timers: Timers) {
    this.#slots = slots
    this.#slowMs = slowMs
    this.#timers = timers
  }

  /** @param work deals with its own failures */
  run(work: () => Promise<void>): void {
    this.#waiting.push(work)
    this.#next()
  }

  /** Resolves when nothing waits or runs any more, slow ones included. */
  async whenIdle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running)
  }

  /** Nothing more begins. */
  close(): void {
    this.#isClosed = true
    this.#waiting.length = 0
  }

  #next(): void {
    if (this.#busy >= this.#slots || this.#isClosed) return
    const work = this.#waiting.shift()
    if (work === undefined) return
    this.#busy++
    let isFree = false
    const free = (): void => {
      if (isFree) return
      isFree = true
      cancel()
      this.#busy--
      this.#next()
    }
    const cancel = this.#timers.later(this.#slowMs, free)
    const running = work().then(free)
    this.#running.add(running)
    void running.then(() => this.#running.delete(running))
  }
}
