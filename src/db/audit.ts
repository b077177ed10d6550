// The audit trail: rows are kept in memory for a moment and written in one transaction, so that a call does not wait for it.
import type { Statement } from 'better-sqlite3'
import { DAY_MS } from '../lib/time.ts'
import type { Database } from './client.ts'

interface AuditRow {
  /** Epoch milliseconds. */
  readonly at: number
  readonly caller: string
  readonly server: string
  readonly tool: string
  readonly effect: string
  readonly outcome: string
  readonly bytes: number
  readonly durationMs: number
}

/** The part of a logger used here. */
export interface WarnLog {
  warn(detail: object, message: string): void
}

export interface AuditLog {
  /** Keeps a row; it is on disk within about a quarter of a second. */
  record(row: AuditRow): void
  /** Resolves when everything recorded so far is written. */
  flush(): Promise<void>
  close(): Promise<void>
}

const FLUSH_MS = 250
/** Rows kept while the database cannot be written; beyond it the oldest are dropped and counted. */
const KEPT_MAX = 20_000
const KEEP_DAYS = 90

/** Rows per statement: one insert of many rows costs half of many inserts. */
const ROWS_PER_INSERT = 32
const ROW = '(?, ?, ?, ?, ?, ?, ?, ?)'
const INSERT = 'INSERT INTO audit (at, caller, server, tool, effect, outcome, bytes, duration_ms) VALUES '

/**
 * Opens the trail and forgets rows older than 90 days.
 * @param now epoch milliseconds
 */
export function createAuditLog(db: Database, log: WarnLog, now: number): AuditLog {
  const insertOne = db.sqlite.prepare(INSERT + ROW)
  const insertMany = db.sqlite.prepare(INSERT + Array(ROWS_PER_INSERT).fill(ROW).join(', '))
  const prune = db.sqlite.prepare('DELETE FROM audit WHERE at < ?')
  let kept: AuditRow[] = []
  let dropped = 0
  let timer: NodeJS.Timeout | undefined
  let written = Promise.resolve()

  const write = async (): Promise<void> => {
    const rows = kept
    if (rows.length === 0) return
    kept = []
    try {
      await db.write(() => insertAll(insertOne, insertMany, rows))
    } catch (error) {
      kept = rows.concat(kept)
      log.warn({ err: error, rows: kept.length, dropped }, 'the audit trail could not be written; trying again')
    }
    if (kept.length > 0) arm()
  }
  /** One write after the other, so that whoever flushes waits for the rows that an earlier flush took, too. */
  const flush = (): Promise<void> => {
    clearTimeout(timer)
    timer = undefined
    written = written.then(write)
    return written
  }
  const arm = (): void => {
    timer ??= setTimeout(() => void flush(), FLUSH_MS).unref()
  }
  db.write(() => prune.run(now - KEEP_DAYS * DAY_MS)).catch((error: unknown) => {
    log.warn({ err: error }, 'old rows of the audit trail were not removed')
  })
  return {
    record(row) {
      if (kept.length >= KEPT_MAX) {
        kept = kept.slice(KEPT_MAX / 4)
        dropped += KEPT_MAX / 4
      }
      kept.push(row)
      if (timer === undefined) arm()
    },
    flush,
    async close() {
      await flush()
      clearTimeout(timer)
    },
  }
}

function insertAll(one: Statement, many: Statement, rows: readonly AuditRow[]): void {
  let start = 0
  for (; start + ROWS_PER_INSERT <= rows.length; start += ROWS_PER_INSERT) {
    many.run(rows.slice(start, start + ROWS_PER_INSERT).flatMap(valuesOf))
  }
  for (const row of rows.slice(start)) one.run(valuesOf(row))
}

function valuesOf(row: AuditRow): (string | number)[] {
  return [row.at, row.caller, row.server, row.tool, row.effect, row.outcome, row.bytes, Math.round(row.durationMs)]
}
