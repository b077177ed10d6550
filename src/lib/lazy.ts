// What is made on first use and then kept, unless making it failed: the next one who needs it tries again.

export class Lazy<T> {
  readonly #make: () => Promise<T>
  #made: Promise<T> | undefined

  /** @param make called on first use; those who come while it runs share its result, a failure too */
  constructor(make: () => Promise<T>) {
    this.#make = make
  }

  get(): Promise<T> {
    if (this.#made !== undefined) return this.#made
    const made = this.#make()
    this.#made = made
    made.catch(() => {
      this.#made = undefined
    })
    return made
  }

  /** What was made, or is being made now; undefined when nothing was or it fails. Makes nothing. */
  async peek(): Promise<T | undefined> {
    const [making] = await Promise.allSettled([this.#made])
    return making.status === 'fulfilled' ? making.value : undefined
  }
}
