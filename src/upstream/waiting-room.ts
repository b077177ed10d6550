// Those who wait for something, in order of arrival: bounded in number and time, and each may leave.
import { toError } from '../lib/thrown.ts'
import { crowdedFault, waitedFault } from './faults.ts'
import type { HubLimits } from './limits.ts'
import type { Timers } from './timers.ts'

export interface Waiting<Wish, Given> {
  readonly wish: Wish
  give(given: Given): void
  refuse(reason: Error): void
}

export interface WaitingRoomOptions {
  /** Of what they wait for, for people. */
  readonly title: string
  readonly limits: Pick<HubLimits, 'waitersMax' | 'waitMs'>
  readonly timers: Timers
}

export class WaitingRoom<Wish, Given> {
  readonly #options: WaitingRoomOptions
  readonly #waiting = new Set<Waiting<Wish, Given>>()

  constructor(options: WaitingRoomOptions) {
    this.#options = options
  }

  get size(): number {
    return this.#waiting.size
  }

  /** First come, first. Giving or refusing on the way is fine. */
  [Symbol.iterator](): Iterator<Waiting<Wish, Given>> {
    return this.#waiting.values()
  }

  /** @throws ToolFault where too many wait or it takes too long; the reason of `signal`; what it was refused with */
  enter(wish: Wish, signal?: AbortSignal): Promise<Given> {
    const { title, limits, timers } = this.#options
    if (signal?.aborted === true) return Promise.reject(toError(signal.reason))
    if (this.#waiting.size >= limits.waitersMax) return Promise.reject(crowdedFault(title))
    const { promise, resolve, reject } = Promise.withResolvers<Given>()
    const leave = (): void => {
      this.#waiting.delete(waiting)
      cancel()
      signal?.removeEventListener('abort', onAbort)
    }
    const waiting: Waiting<Wish, Given> = {
      wish,
      give: (given) => (leave(), resolve(given)),
      refuse: (reason) => (leave(), reject(reason)),
    }
    const cancel = timers.later(limits.waitMs, () => waiting.refuse(waitedFault(title, limits.waitMs)))
    const onAbort = (): void => waiting.refuse(toError(signal?.reason))
    signal?.addEventListener('abort', onAbort, { once: true })
    this.#waiting.add(waiting)
    return promise
  }

  refuseAll(reason: Error): void {
    for (const waiting of this.#waiting) waiting.refuse(reason)
  }
}
