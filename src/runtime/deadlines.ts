// Every deadline of the runtime on one timer: a wheel of ticks, so arming costs two assignments and reads no clock.

/** Deadlines are never early, and late by at most two of these plus whatever the loop was blocked. */
export const TICK_MS = 20
const SLOTS = 512

export class Deadline {
  dueTick: number
  fire: (() => void) | undefined
  next: Deadline | undefined
  previous: Deadline | undefined
  slot = -1

  constructor(dueTick: number, fire: () => void) {
    this.dueTick = dueTick
    this.fire = fire
  }
}

export class Deadlines {
  readonly #wheel: (Deadline | undefined)[] = Array.from({ length: SLOTS }, () => undefined)
  #tick = 0
  #armed = 0
  #timer: NodeJS.Timeout | undefined

  get armed(): number {
    return this.#armed
  }

  /** Calls `fire` once, `ms` milliseconds from now or up to two ticks later. */
  arm(ms: number, fire: () => void): Deadline {
    const deadline = new Deadline(this.#tick + Math.ceil(ms / TICK_MS) + 1, fire)
    const slot = deadline.dueTick % SLOTS
    const first = this.#wheel[slot]
    deadline.slot = slot
    deadline.next = first
    if (first !== undefined) first.previous = deadline
    this.#wheel[slot] = deadline
    this.#armed++
    this.#timer ??= setInterval(() => this.#turn(), TICK_MS)
    return deadline
  }

  /** Harmless after firing and when repeated. */
  disarm(deadline: Deadline): void {
    if (deadline.fire === undefined) return
    deadline.fire = undefined
    if (deadline.previous === undefined) this.#wheel[deadline.slot] = deadline.next
    else deadline.previous.next = deadline.next
    if (deadline.next !== undefined) deadline.next.previous = deadline.previous
    this.#armed--
  }

  /** The timer runs only while something is armed, plus one tick. */
  #turn(): void {
    if (this.#armed === 0) {
      clearInterval(this.#timer)
      this.#timer = undefined
      return
    }
    this.#tick++
    let deadline = this.#wheel[this.#tick % SLOTS]
    while (deadline !== undefined) {
      const { next, fire } = deadline
      if (deadline.dueTick <= this.#tick && fire !== undefined) {
        this.disarm(deadline)
        fire()
      }
      deadline = next
    }
  }
}
