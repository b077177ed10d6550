// Which of the processes without a network looks after the external servers, while no gateway does: one of them, by lease.
import type { Database } from '../db/client.ts'
import { releaseLease, takeLease, type Lease } from '../db/leases.ts'
import type { Clock, Log } from '../runtime/context.ts'

const NAME = 'external-servers'
/** Another process may take over so long after this one was killed. */
const TTL_MS = 15_000
const RENEW_MS = 5_000

export interface CustodyOptions {
  readonly database: Database
  readonly clock: Clock
  readonly log: Log
  /** Unique per start of a process. */
  readonly holder: string
  /** Waited for before anything is started here: what a killed holder left running is not to meet its successor. Never rejects. */
  readonly prepare: () => Promise<void>
  /** Whether a gateway looks after them, which goes before any lease. */
  readonly isElsewhere: () => boolean
  /** They are somebody else's now: nothing of them is to run here any longer. */
  readonly handOver: () => void
}

export class Custody {
  readonly #options: CustodyOptions
  readonly #lease: Lease
  #timer: NodeJS.Timeout | undefined
  #taking: Promise<boolean> | undefined

  constructor(options: CustodyOptions) {
    this.#options = options
    this.#lease = { name: NAME, holder: options.holder, ttlMs: TTL_MS }
  }

  get isHeld(): boolean {
    return this.#timer !== undefined
  }

  /** @returns whether it is ours now, and stays ours until it is given back or a gateway is there */
  take(): Promise<boolean> {
    // Being taken comes before taken: nothing begins before what was left running has ended.
    if (this.#taking === undefined && this.isHeld) return Promise.resolve(true)
    return (this.#taking ??= this.#take().finally(() => {
      this.#taking = undefined
    }))
  }

  /** The same, for whoever can do without. Never rejects. */
  async tryTake(): Promise<void> {
    try {
      await this.take()
    } catch (error) {
      this.#options.log.warn({ err: error }, 'the lease of the external servers could not be taken')
    }
  }

  async #take(): Promise<boolean> {
    const { clock, database, prepare } = this.#options
    if (!(await takeLease(database, this.#lease, clock.now()))) return false
    this.#timer = setInterval(() => void this.#renew(), RENEW_MS)
    this.#timer.unref()
    await prepare()
    return this.isHeld
  }

  async #renew(): Promise<void> {
    const { clock, database, isElsewhere, log } = this.#options
    try {
      if (isElsewhere()) return await this.yield()
      if (await takeLease(database, this.#lease, clock.now())) return
    } catch (error) {
      log.warn({ err: error }, 'the lease of the external servers could not be renewed')
      return
    }
    log.warn({}, 'another process looks after the external servers now')
    this.#forget()
  }

  /** To a gateway that is there now. Does nothing where it is not held. */
  async yield(): Promise<void> {
    if (!this.isHeld) return
    this.#forget()
    await releaseLease(this.#options.database, this.#lease)
  }

  #forget(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
    this.#options.handOver()
  }

  /** At the end, when nothing runs here any more. */
  async release(): Promise<void> {
    // One that is being taken would be held by nobody until it expires.
    await this.#taking
    if (!this.isHeld) return
    clearInterval(this.#timer)
    this.#timer = undefined
    await releaseLease(this.#options.database, this.#lease)
  }
}
