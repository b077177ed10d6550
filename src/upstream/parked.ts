// Calls that go on at a server while their caller is asked something. Kept in this process only, for a while, each for the one
// caller and tool it belongs to; taken out once and never put back under the same name.
import type { HubLimits } from './limits.ts'
import type { Timers } from './timers.ts'

export interface Parkable {
  /** Ends it at the server too. */
  cancel(reason: Error): void
}

export interface ParkingPlace {
  readonly callerId: string
  /** Public name of what was called. */
  readonly subject: string
}

interface Parked<Call> extends ParkingPlace {
  readonly call: Call
  readonly forget: () => void
}

export class ParkedCalls<Call extends Parkable> {
  readonly #limits: Pick<HubLimits, 'parkedMax' | 'parkedPerCallerMax' | 'parkedMs'>
  readonly #timers: Timers
  readonly #token: () => string
  readonly #parked = new Map<string, Parked<Call>>()

  /** @param token at least 128 random bits */
  constructor(
    limits: Pick<HubLimits, 'parkedMax' | 'parkedPerCallerMax' | 'parkedMs'>,
    timers: Timers,
    token: () => string,
  ) {
    this.#limits = limits
    this.#timers = timers
    this.#token = token
  }

  get size(): number {
    return this.#parked.size
  }

  /** @returns the word that takes it out again; undefined where there is no room */
  park(call: Call, { callerId, subject }: ParkingPlace): string | undefined {
    const own = [...this.#parked.values()].filter((parked) => parked.callerId === callerId).length
    if (this.#parked.size >= this.#limits.parkedMax || own >= this.#limits.parkedPerCallerMax) return undefined
    const nonce = this.#token()
    const forget = this.#timers.later(this.#limits.parkedMs, () => {
      this.#parked.delete(nonce)
      call.cancel(new Error('Nobody answered its question in time.'))
    })
    this.#parked.set(nonce, { call, callerId, subject, forget })
    return nonce
  }

  /** Undefined for what is not there, belongs to another caller or tool, or was taken before. */
  take(nonce: string, { callerId, subject }: ParkingPlace): Call | undefined {
    const parked = this.#parked.get(nonce)
    if (parked === undefined || parked.callerId !== callerId || parked.subject !== subject) return undefined
    this.#parked.delete(nonce)
    parked.forget()
    return parked.call
  }

  /** Cancels what a caller left behind that will not come again; everything without one. */
  cancelAll(reason: Error, callerId?: string): void {
    for (const [nonce, parked] of this.#parked)
      if (callerId === undefined || parked.callerId === callerId) {
        this.#parked.delete(nonce)
        parked.forget()
        parked.call.cancel(reason)
      }
  }
}
