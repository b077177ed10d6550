// What one call holds of the guards, and the order and rules of giving it back.
import type { KeyedMutex, LockKey } from './guards/keyed-mutex.ts'
import type { Semaphore } from './guards/semaphore.ts'

export interface Passable {
  readonly semaphore: Semaphore | undefined
  readonly mutex: KeyedMutex | undefined
}

export class Pass {
  readonly #target: Passable
  #slot: 'none' | 'held' | 'taken-back' = 'none'
  /** The key this call needs; it holds it from `gotKey` on. */
  key: LockKey | undefined
  #locked = false

  constructor(target: Passable) {
    this.#target = target
  }

  get hasKey(): boolean {
    return this.#locked
  }

  gotSlot(): void {
    this.#slot = 'held'
  }
  gotKey(): void {
    this.#locked = true
  }

  /** The handler has ended: everything goes back. Repeating it changes nothing. */
  release(): void {
    this.forceUnlock()
    if (this.#slot === 'held') this.#target.semaphore?.leave()
    else if (this.#slot === 'taken-back') this.#target.semaphore?.abandonedEnded()
    this.#slot = 'none'
  }

  /** Gives the slot to others while the handler still runs. */
  takeBackSlot(): void {
    if (this.#slot === 'held' && this.#target.semaphore?.abandon() === true) this.#slot = 'taken-back'
  }

  /** Lets the next writer in although this one may still run. */
  forceUnlock(): void {
    if (!this.#locked || this.key === undefined) return
    this.#locked = false
    this.#target.mutex?.unlock(this.key)
  }
}
