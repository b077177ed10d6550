// Retention: what is older than a setting says goes, at the start and once a day. In small writes, so that a table that was
// long left alone holds up nobody.
import type { Statement } from 'better-sqlite3'
import { repeat } from '../lib/repeat.ts'
import type { WarnLog } from './audit.ts'
import type { Database } from './client.ts'

export interface Sweep {
  /** Plural, for the log. */
  readonly what: string
  /** Deletes so many rows of the oldest, given where those begin that stay. */
  readonly statement: Statement<[before: number, rows: number]>
  /** Where those begin that stay, now. */
  readonly before: () => number
  /** How long until the next sweep; once only where absent. */
  readonly everyMs?: number | undefined
}

/** Rows of one write: some 5 ms. */
const ROWS_PER_WRITE = 1000

/** Begins to sweep. @returns ends it; resolves when no write of it is under way */
export function startSweep(
  db: Database,
  log: WarnLog,
  { what, statement, before, everyMs }: Sweep,
): () => Promise<void> {
  const sweep = async (signal: AbortSignal): Promise<void> => {
    const end = before()
    let gone = ROWS_PER_WRITE
    while (gone === ROWS_PER_WRITE && !signal.aborted)
      gone = await db.write(() => statement.run(end, ROWS_PER_WRITE).changes)
  }
  const attempt = (signal: AbortSignal): Promise<void> =>
    sweep(signal).catch((error: unknown) =>
      log.warn({ err: error }, `${what} were not removed; they are tried again with the next sweep`),
    )
  return repeat(attempt, { firstMs: 0, everyMs })
}
