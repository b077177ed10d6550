// How long the audit trail and the context ledger go back.
import { DAY_MS } from '../lib/time.ts'
import type { WarnLog } from './audit.ts'
import type { Database } from './client.ts'
import { startSweep } from './sweep.ts'

interface SweepOptions {
  readonly clock: {
    /** Epoch milliseconds. */
    now(): number
  }
  /** How long until the next sweep; once only where absent. */
  readonly everyMs?: number
}

export interface AuditSweepOptions extends SweepOptions {
  /** Rows older than this go. */
  readonly keepDays: number
}

/** A year can be compared with the one before while its last weeks are still read. */
export const LEDGER_DAYS = 400

/** Begins to sweep the audit trail. @returns ends it; resolves when no write of it is under way */
export function startAuditSweep(db: Database, log: WarnLog, options: AuditSweepOptions): () => Promise<void> {
  const { clock, keepDays, everyMs } = options
  return startSweep(db, log, {
    what: 'old rows of the audit trail',
    statement: db.sqlite.prepare(
      'DELETE FROM audit WHERE id IN (SELECT id FROM audit WHERE at < ? ORDER BY at LIMIT ?)',
    ),
    before: () => clock.now() - keepDays * DAY_MS,
    everyMs,
  })
}

/** The same for the context ledger, whose rows are days. */
export function startLedgerSweep(db: Database, log: WarnLog, { clock, everyMs }: SweepOptions): () => Promise<void> {
  return startSweep(db, log, {
    what: 'old days of the context ledger',
    statement: db.sqlite.prepare(
      'DELETE FROM context_ledger WHERE rowid IN (SELECT rowid FROM context_ledger WHERE day < ? ORDER BY day LIMIT ?)',
    ),
    before: () => Math.floor(clock.now() / DAY_MS) - LEDGER_DAYS,
    everyMs,
  })
}
