// What is written a moment later, together, so that no request waits for it: by timer, one write at a time, tried again with
// growing pauses where the database cannot be written.

export interface WriteBehindOptions {
  /** From the first thing that is pending to the write, in milliseconds. */
  readonly flushMs: number
  /** The longest pause between attempts. */
  readonly retryMsMax: number
  /** Writes what is pending; what cannot be written it keeps pending, and rejects. */
  write(): Promise<void>
  /** Told of each attempt that failed. */
  failed(error: unknown): void
  isPending(): boolean
}

export class WriteBehind {
  readonly #options: WriteBehindOptions
  #failures = 0
  #timer: NodeJS.Timeout | undefined
  #writing: Promise<void> = Promise.resolve()

  constructor(options: WriteBehindOptions) {
    this.#options = options
  }

  /** Something is pending. Costs nothing while a write is to come anyway. */
  arm(): void {
    const { flushMs, retryMsMax } = this.#options
    this.#timer ??= setTimeout(() => void this.flush(), Math.min(flushMs * 2 ** this.#failures, retryMsMax)).unref()
  }

  /** Resolves when everything that was pending is written, or could not be. */
  flush(): Promise<void> {
    this.#disarm()
    this.#writing = this.#writing.then(() => this.#attempt())
    return this.#writing
  }

  /** One last attempt. */
  async close(): Promise<void> {
    await this.flush()
    this.#disarm()
  }

  #disarm(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  async #attempt(): Promise<void> {
    if (!this.#options.isPending()) return
    try {
      await this.#options.write()
      this.#failures = 0
    } catch (error) {
      this.#failures++
      this.#options.failed(error)
    }
    if (this.#options.isPending()) this.arm()
  }
}
