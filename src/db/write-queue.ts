// Group commit. The writes that arrive while the loop turns share one transaction, so that one fsync pays for all of them.
// Another process that holds the lock is waited for on a timer, within bounds.
import { GatewayError } from '../errors.ts'
import { createJob, prepareBatches, runBatch } from './batch.ts'
import type { BatchConnection, BatchLimits, Job } from './batch.ts'
import type { Sqlite, Tx } from './client.ts'
import { busyFault, isBusy, useFault } from './faults.ts'
import { pauseMs } from './retry.ts'

export interface WriteLimits extends BatchLimits {
  /** Writes that may wait; one more is refused with DATABASE_BUSY. */
  readonly waitingMax: number
  /** How long a write waits for another process before DATABASE_BUSY. */
  readonly waitMs: number
}

export const writeLimits: WriteLimits = { waitingMax: 4096, batchMax: 256, batchMs: 8, waitMs: 8000 }

/**
 * The writes of one connection. Every rejection is either what the work itself threw or a GatewayError: DATABASE_BUSY,
 * DATABASE_FULL, DATABASE_IO, DATABASE_READONLY, DATABASE_CORRUPT, DATABASE_CLOSED, or what `permit` threw.
 */
export class WriteQueue {
  readonly #connection: BatchConnection
  readonly #limits: WriteLimits
  readonly #drained: (() => void)[] = []
  #waiting: Job[] = []
  #scheduled = false
  #closing = false
  /** BEGIN was refused so many times in a row. */
  #refusals = 0

  /** @param permit throws where nothing may be written; called in each transaction before its first write */
  constructor(sqlite: Sqlite, tx: Tx, permit: () => void, limits: WriteLimits = writeLimits) {
    this.#connection = prepareBatches(sqlite, tx, permit)
    this.#limits = limits
  }

  /** See `Database.write`. */
  write<T>(work: (tx: Tx) => T): Promise<T> {
    if (this.#closing) {
      const message = 'The database is closing; nothing was stored.'
      return Promise.reject(new GatewayError('unavailable', 'DATABASE_CLOSED', message))
    }
    if (this.#waiting.length >= this.#limits.waitingMax) return Promise.reject(crowdedFault(this.#limits.waitingMax))
    return new Promise((resolve, reject) => {
      this.#waiting.push(createJob(work, resolve, reject))
      this.#schedule()
    })
  }

  /** Refuses new writes and resolves when the accepted ones have settled. */
  drain(): Promise<void> {
    this.#closing = true
    return this.#waiting.length === 0 ? Promise.resolve() : new Promise((resolve) => this.#drained.push(resolve))
  }

  #schedule(): void {
    if (this.#scheduled) return
    this.#scheduled = true
    if (this.#refusals === 0) setImmediate(() => this.#flush())
    else setTimeout(() => this.#flush(), pauseMs(this.#refusals - 1))
  }

  #flush(): void {
    this.#scheduled = false
    try {
      const taken = runBatch(this.#connection, this.#waiting, this.#limits)
      this.#refusals = 0
      this.#waiting.splice(0, taken)
    } catch (error) {
      this.#refuse(error)
    }
    if (this.#waiting.length > 0) this.#schedule()
    else for (const resolve of this.#drained.splice(0)) resolve()
  }

  /** No transaction began, or none may write. Where somebody else has the lock, only those who have waited too long fail. */
  #refuse(error: unknown): void {
    const isTemporary = isBusy(error)
    const now = performance.now()
    const isOver = (job: Job): boolean => !isTemporary || now - job.since >= this.#limits.waitMs
    const over = this.#waiting.filter(isOver)
    this.#waiting = this.#waiting.filter((job) => !isOver(job))
    this.#refusals = isTemporary ? this.#refusals + 1 : 0
    for (const job of over) job.fail(isTemporary ? busyFault(now - job.since, error) : useFault(error))
  }
}

function crowdedFault(waiting: number): GatewayError {
  const message = `${waiting} writes are waiting already, so nothing was stored; try again in a moment.`
  return new GatewayError('unavailable', 'DATABASE_BUSY', message, { retryAfterMs: 1000 })
}
