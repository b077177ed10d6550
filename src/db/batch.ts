// One transaction for many writes: BEGIN IMMEDIATE … COMMIT, each write in a savepoint of its own, so that a throw undoes
// only itself. A write settles after COMMIT only.
import type { Sqlite, Tx } from './client.ts'
import { useFault } from './faults.ts'

/** One accepted write. */
export interface Job {
  /** When it was accepted, on the monotonic clock. */
  readonly since: number
  /** Runs the work and keeps what it gave for `settle`. */
  run(tx: Tx): void
  settle(): void
  fail(error: unknown): void
}

/** A connection with the statements around a batch, prepared once. */
export interface BatchConnection {
  readonly sqlite: Sqlite
  readonly tx: Tx
  readonly begin: () => void
  /** Throws where nothing may be written; called inside the transaction, before the first write of it. */
  readonly permit: () => void
  readonly commit: () => void
  readonly rollback: () => void
  readonly mark: () => void
  readonly keep: () => void
  readonly undo: () => void
}

export interface BatchLimits {
  /** Writes that share one transaction at most. */
  readonly batchMax: number
  /** A transaction takes in no further write once it has run this long, so the loop is not held up. */
  readonly batchMs: number
}

export function prepareBatches(sqlite: Sqlite, tx: Tx, permit: () => void): BatchConnection {
  const statement = (source: string): (() => void) => {
    const prepared = sqlite.prepare(source)
    return () => void prepared.run()
  }
  return {
    sqlite,
    tx,
    begin: statement('BEGIN IMMEDIATE'),
    permit,
    commit: statement('COMMIT'),
    rollback: statement('ROLLBACK'),
    mark: statement('SAVEPOINT write'),
    keep: statement('RELEASE write'),
    undo: statement('ROLLBACK TO write'),
  }
}

function isThenable(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function'
}

export function createJob<T>(work: (tx: Tx) => T, resolve: (value: T) => void, reject: (error: unknown) => void): Job {
  let outcome: { readonly value: T } | undefined
  return {
    since: performance.now(),
    run(tx) {
      const value = work(tx)
      if (isThenable(value)) throw new TypeError('A write must be synchronous, this one returned a promise')
      outcome = { value }
    },
    settle() {
      if (outcome !== undefined) resolve(outcome.value)
    },
    fail: reject,
  }
}

/** Undoes the running write alone. @returns false where that is impossible and the whole transaction is gone */
function undoWrite(connection: BatchConnection): boolean {
  if (!connection.sqlite.inTransaction) return false
  try {
    connection.undo()
    connection.keep()
    return true
  } catch {
    // The work ended its own savepoint. Nobody can tell what belongs to whom, so nothing of this batch is kept.
    connection.rollback()
    return false
  }
}

/** Runs one job in its savepoint. @returns false where SQLite has given up the whole transaction, with what it held */
function attempt(connection: BatchConnection, job: Job, done: Job[]): boolean {
  try {
    connection.mark()
    job.run(connection.tx)
    connection.keep()
    done.push(job)
    return true
  } catch (error) {
    const alive = undoWrite(connection)
    job.fail(useFault(error))
    if (!alive) for (const other of done.splice(0)) other.fail(useFault(error))
    return alive
  }
}

function commit(connection: BatchConnection, done: readonly Job[]): void {
  try {
    connection.commit()
  } catch (error) {
    if (connection.sqlite.inTransaction) connection.rollback()
    for (const job of done) job.fail(useFault(error))
    return
  }
  for (const job of done) job.settle()
}

/**
 * Runs jobs from the front of the list in one transaction, as far as the limits allow. Each of those settles or fails.
 * @returns how many were taken
 * @throws what BEGIN or `permit` threw; no job was touched then
 */
export function runBatch(connection: BatchConnection, jobs: readonly Job[], limits: BatchLimits): number {
  connection.begin()
  try {
    connection.permit()
  } catch (error) {
    connection.rollback()
    throw error
  }
  const started = performance.now()
  const done: Job[] = []
  let taken = 0
  for (const job of jobs.slice(0, limits.batchMax)) {
    taken++
    if (!attempt(connection, job, done)) return taken
    if (performance.now() - started > limits.batchMs) break
  }
  commit(connection, done)
  return taken
}
