// Which of the processes without a network looks after the external servers, while no gateway does: one of them, by lease.
import type { Database } from '../db/client.ts'
import { releaseLease, takeLease, type Lease } from '../db/leases.ts'
import type { Clock, Log } from '../runtime/context.ts'

const NAME = 'external-servers'
/** Another process may take over so long after this one was killed. */
const TTL_MS = 15_000
const RENEW_MS = 5_000

export class Custody {
  readonly #database: Database
  readonly #clock: Clock
  readonly #log: Log
  readonly #lease: Lease
  #timer: NodeJS.Timeout | undefined
  #taking: Promise<boolean> | undefined

  constructor(database: Database, clock: Clock, holder: string, log: Log) {
    this.#database = database
    this.#clock = clock
    this.#log = log
    this.#lease = { name: NAME, holder, ttlMs: TTL_MS }
  }

  get isHeld(): boolean {
    return this.#timer !== undefined
  }

  /** @returns whether it is ours now, and stays ours until it is given back */
  take(): Promise<boolean> {
    if (this.isHeld) return Promise.resolve(true)
    return (this.#taking ??= this.#take().finally(() => {
      this.#taking = undefined
    }))
  }

  async #take(): Promise<boolean> {
    if (!(await takeLease(this.#database, this.#lease, this.#clock.now()))) return false
    this.#timer = setInterval(() => void this.#renew(), RENEW_MS)
    this.#timer.unref()
    return true
  }

  async #renew(): Promise<void> {
    try {
      if (await takeLease(this.#database, this.#lease, this.#clock.now())) return
      this.#log.warn({}, 'another process looks after the external servers now')
    } catch (error) {
      this.#log.warn({ err: error }, 'the lease of the external servers could not be renewed')
      return
    }
    this.#forget()
  }

  #forget(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  async release(): Promise<void> {
    // One that is being taken would be held by nobody until it expires.
    await this.#taking
    if (!this.isHeld) return
    this.#forget()
    await releaseLease(this.#database, this.#lease)
  }
}
