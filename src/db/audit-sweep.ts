// Retention of the audit trail: what is older than the setting says goes, at the start and once a day. In small writes, so
// that a trail that was long left alone holds up nobody.
import { repeat } from '../lib/repeat.ts'
import { DAY_MS } from '../lib/time.ts'
import type { WarnLog } from './audit.ts'
import type { Database } from './client.ts'

export interface AuditSweepOptions {
  readonly clock: {
    /** Epoch milliseconds. */
    now(): number
  }
  /** Rows older than this go. */
  readonly keepDays: number
  /** How long until the next sweep; once only where absent. */
  readonly everyMs?: number
}

/** Rows of one write: some 5 ms. */
const ROWS_PER_WRITE = 1000

/** Begins to sweep. @returns ends it; resolves when no write of it is under way */
export function startAuditSweep(db: Database, log: WarnLog, options: AuditSweepOptions): () => Promise<void> {
  const { clock, keepDays, everyMs } = options
  const statement = db.sqlite.prepare(
    'DELETE FROM audit WHERE id IN (SELECT id FROM audit WHERE at < ? ORDER BY at LIMIT ?)',
  )
  const sweep = async (signal: AbortSignal): Promise<void> => {
    const before = clock.now() - keepDays * DAY_MS
    let gone = ROWS_PER_WRITE
    while (gone === ROWS_PER_WRITE && !signal.aborted)
      gone = await db.write(() => statement.run(before, ROWS_PER_WRITE).changes)
  }
  const attempt = (signal: AbortSignal): Promise<void> =>
    sweep(signal).catch((error: unknown) =>
      log.warn(
        { err: error },
        'old rows of the audit trail were not removed; they are tried again with the next sweep',
      ),
    )
  return repeat(attempt, { firstMs: 0, everyMs })
}
