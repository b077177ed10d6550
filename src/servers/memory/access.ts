// Counts which memories were shown. Counts are gathered and written together now and then, so that reading costs no commit;
// what is still gathered when a process is killed is lost, and nothing depends on it.
import type { Database } from '../../db/client.ts'
import type { ToolContext } from '../../runtime/context.ts'
import { touchMemories, type Access } from './queries/memory-writes.ts'

const FLUSH_MS = 250
/** Rows per write, so that a flush never holds up the others. */
const PIECE_ROWS = 200

const gathered = new WeakMap<Database, Map<number, Access>>()
const flushing = new WeakMap<Database, Promise<void>>()

/** Notes that these memories were shown now; returns at once. */
export function noteAccess(
  { db, clock, log }: Pick<ToolContext, 'db' | 'clock' | 'log'>,
  ids: readonly number[],
): void {
  if (ids.length === 0) return
  const accesses = gathered.get(db) ?? begin(db, log)
  const at = clock.now()
  for (const id of ids) accesses.set(id, { id, at, times: (accesses.get(id)?.times ?? 0) + 1 })
}

/**
 * Writes what is gathered, after what an earlier flush is still writing; a closing process awaits it before it closes the
 * database.
 */
export function flushAccess(db: Database): Promise<void> {
  const write = (): Promise<void> => writeGathered(db)
  // An earlier failure was told to whoever began that flush.
  const flushed = (flushing.get(db) ?? Promise.resolve()).then(write, write)
  flushing.set(db, flushed)
  return flushed
}

async function writeGathered(db: Database): Promise<void> {
  const accesses = [...(gathered.get(db)?.values() ?? [])]
  gathered.delete(db)
  for (let start = 0; start < accesses.length; start += PIECE_ROWS) {
    await db.write(() => touchMemories(db, accesses.slice(start, start + PIECE_ROWS)))
  }
}

function begin(db: Database, log: ToolContext['log']): Map<number, Access> {
  const accesses = new Map<number, Access>()
  gathered.set(db, accesses)
  const timer = setTimeout(() => {
    if (!db.sqlite.open) return
    flushAccess(db).catch((error: unknown) => log.warn({ err: error }, 'access counters of memories were not written'))
  }, FLUSH_MS)
  timer.unref()
  return accesses
}
