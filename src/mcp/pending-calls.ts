// Calls that have not been answered yet, each with a way to answer it at once: a process that ends owes everybody an answer.

/** What a client is told whose call could not end before the process had to. */
export const ENDING_MESSAGE = 'The gateway is shutting down and could not wait for this call; try again in a moment'
export const ENDING_DATA = Object.freeze({ code: 'SHUTTING_DOWN' })

export class PendingCalls {
  readonly #cuts = new Set<() => void>()
  #over = false

  get size(): number {
    return this.#cuts.size
  }

  /**
   * @param cut answers the call at once; it is called at most once, and right away when it is over already
   * @returns forgets the call
   */
  add(cut: () => void): () => void {
    if (this.#over) {
      cut()
      return () => undefined
    }
    this.#cuts.add(cut)
    return () => void this.#cuts.delete(cut)
  }

  /**
   * The result of `work`, or `whenCut`'s error as soon as calls are cut; `work` is then told to stop.
   * @param leaving aborts when the client cancels, which `work` is told as well
   */
  run<Result>(
    work: (signal: AbortSignal) => Promise<Result>,
    leaving: AbortSignal,
    whenCut: () => Error,
  ): Promise<Result> {
    return new Promise((resolve, reject) => {
      const cutting = new AbortController()
      const forget = this.add(() => {
        reject(whenCut())
        cutting.abort()
      })
      void work(AbortSignal.any([leaving, cutting.signal]))
        .then(resolve, reject)
        .finally(forget)
    })
  }

  /** Answers everything that waits, and whatever comes after. */
  cut(): void {
    this.#over = true
    for (const cut of this.#cuts) cut()
    this.#cuts.clear()
  }
}
