// Notices that another process committed something, so that caches (tokens, resources) can look again.
import type { Database } from './client.ts'

/**
 * Calls `listener` after commits of other connections; our own commits do not count. Costs a few microseconds a look.
 * The timer does not keep the process alive and ends itself when the database is closed.
 * @param everyMs how often to look
 * @returns stops looking
 */
export function onForeignChange(db: Database, listener: () => void, everyMs = 250): () => void {
  const look = (): unknown => db.sqlite.pragma('data_version', { simple: true })
  let seen = look()
  const timer = setInterval(() => {
    if (!db.sqlite.open) {
      clearInterval(timer)
      return
    }
    const now = look()
    if (now === seen) return
    seen = now
    listener()
  }, everyMs)
  timer.unref()
  return () => clearInterval(timer)
}
