// How many calls of a tool run at once. Bounded on both sides: slots and queue; arrival order is kept.
import { Waiter, WaitQueue } from './wait-queue.ts'

/** Calls whose caller is gone and whose slot was taken back may pile up to this many times the slots, no further. */
const ABANDONED_FACTOR = 4

export class Semaphore {
  readonly activeMax: number
  readonly queueMax: number
  #active = 0
  #abandoned = 0
  readonly #queue = new WaitQueue()

  constructor(activeMax: number, queueMax: number) {
    this.activeMax = activeMax
    this.queueMax = queueMax
  }

  get active(): number {
    return this.#active
  }
  get waiting(): number {
    return this.#queue.size
  }
  /** Handlers that still run although their slot was given to others. */
  get abandoned(): number {
    return this.#abandoned
  }

  /** Takes a slot if one is free and nobody waits for it. */
  tryEnter(): boolean {
    if (this.#active >= this.activeMax || this.#queue.size > 0) return false
    this.#active++
    return true
  }

  /** Queues for a slot; undefined when the queue is full. A granted waiter owns a slot. */
  wait(): Waiter | undefined {
    if (this.#queue.size >= this.queueMax) return undefined
    const waiter = new Waiter()
    this.#queue.push(waiter)
    return waiter
  }

  leave(): void {
    const next = this.#queue.shift()
    if (next === undefined) this.#active--
    else next.grant()
  }

  /**
   * Takes the slot back from a handler that ignores its abort.
   * @returns false when too many such handlers still run: then the slot stays with this one until it ends
   */
  abandon(): boolean {
    if (this.#abandoned >= this.activeMax * ABANDONED_FACTOR) return false
    this.#abandoned++
    this.leave()
    return true
  }

  /** An abandoned handler has ended after all. */
  abandonedEnded(): void {
    this.#abandoned--
  }
}
