// One writer per key, in order of arrival. A waiter that gives up leaves the queue; it never lets the next one in early.
import { Waiter, WaitQueue } from './wait-queue.ts'

export type LockKey = string | number

export class KeyedMutex {
  readonly waitersMax: number
  /** A key is present while it is held; its queue is made by the first one who has to wait. */
  readonly #held = new Map<LockKey, WaitQueue | undefined>()

  /** @param waitersMax over all keys */
  constructor(waitersMax: number) {
    this.waitersMax = waitersMax
  }

  /** Keys held at this moment. */
  get heldCount(): number {
    return this.#held.size
  }
  get waiting(): number {
    let sum = 0
    for (const queue of this.#held.values()) sum += queue?.size ?? 0
    return sum
  }

  tryLock(key: LockKey): boolean {
    if (this.#held.has(key)) return false
    this.#held.set(key, undefined)
    return true
  }

  /** Queues for a key that is held; undefined when too many wait. A granted waiter owns the key. */
  wait(key: LockKey): Waiter | undefined {
    if (this.waiting >= this.waitersMax) return undefined
    const queue = this.#held.get(key) ?? new WaitQueue()
    this.#held.set(key, queue)
    const waiter = new Waiter()
    queue.push(waiter)
    return waiter
  }

  unlock(key: LockKey): void {
    const next = this.#held.get(key)?.shift()
    if (next === undefined) this.#held.delete(key)
    else next.grant()
  }
}
