// A FIFO of waiters with O(1) enter, leave and removal from the middle. Shared by the semaphore and the keyed mutex.

export class Waiter {
  /** Resolves true when the turn has come, false when it never will. */
  readonly turn: Promise<boolean>
  next: Waiter | undefined
  previous: Waiter | undefined
  queue: WaitQueue | undefined
  #resolve: (granted: boolean) => void = () => undefined

  constructor() {
    this.turn = new Promise((resolve) => {
      this.#resolve = resolve
    })
  }

  /** The owner continues in a microtask, so a long queue of short calls cannot grow the stack. */
  grant(): void {
    this.#resolve(true)
  }

  /** Leaves the queue without a turn. Does nothing once the turn was granted. */
  giveUp(): void {
    if (this.queue === undefined) return
    this.queue.remove(this)
    this.#resolve(false)
  }
}

export class WaitQueue {
  #head: Waiter | undefined
  #tail: Waiter | undefined
  #size = 0

  get size(): number {
    return this.#size
  }

  push(waiter: Waiter): void {
    waiter.queue = this
    waiter.previous = this.#tail
    if (this.#tail === undefined) this.#head = waiter
    else this.#tail.next = waiter
    this.#tail = waiter
    this.#size++
  }

  shift(): Waiter | undefined {
    const first = this.#head
    if (first !== undefined) this.remove(first)
    return first
  }

  remove(waiter: Waiter): void {
    if (waiter.queue !== this) return
    if (waiter.previous === undefined) this.#head = waiter.next
    else waiter.previous.next = waiter.next
    if (waiter.next === undefined) this.#tail = waiter.previous
    else waiter.next.previous = waiter.previous
    waiter.next = undefined
    waiter.previous = undefined
    waiter.queue = undefined
    this.#size--
  }
}
