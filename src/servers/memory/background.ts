// Work that nobody waits for: access counters. A failure is logged and changes no answer.
import type { ToolContext } from '../../runtime/context.ts'
import { touchMemories } from './queries/memory-writes.ts'

/** Notes that these memories were shown; returns at once. */
export function noteAccess({ db, clock, log }: ToolContext, ids: readonly number[]): void {
  if (ids.length === 0) return
  const now = clock.now()
  db.write(() => touchMemories(db, ids, now)).catch((error: unknown) => {
    log.warn({ error }, 'access counters of memories were not written')
  })
}
