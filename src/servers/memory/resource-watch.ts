// Tells the change bus when a resource of this room reads differently than before, whoever made the change: a tool, the
// scheduler, or another process on the same data folder. What did not change is not announced.
import type { Database } from '../../db/client.ts'
import type { ChangeBus } from '../../runtime/bus.ts'
import type { Log } from '../../runtime/context.ts'
import { changeMark } from './queries/changes.ts'
import { CATEGORIES_URI, CONTEXT_URI, categoriesText, contextText } from './resources.ts'

const EVERY_MS = 1000

export interface ResourceWatchOptions {
  readonly db: Database
  readonly bus: ChangeBus
  readonly deviceId: string | null
  readonly log: Log
  /** How often to look, in milliseconds. A look at an unchanged database costs a few microseconds. */
  readonly everyMs?: number
}

/** Begins to watch; the timer keeps no process alive and ends when the database is closed. @returns stops watching */
export function startResourceWatch(options: ResourceWatchOptions): () => void {
  const { db, bus, deviceId, log } = options
  const read = (): Record<string, string> => ({
    [CONTEXT_URI]: contextText(db, deviceId, []),
    [CATEGORIES_URI]: categoriesText(db),
  })
  let mark = changeMark(db)
  let texts = read()
  const look = (): void => {
    const next = changeMark(db)
    if (next === mark) return
    const before = texts
    texts = read()
    mark = next
    for (const [uri, text] of Object.entries(texts)) if (text !== before[uri]) bus.emit({ kind: 'resource', uri })
  }
  const timer = setInterval(() => {
    if (!db.sqlite.open) return clearInterval(timer)
    try {
      look()
    } catch (error) {
      log.warn({ error }, 'resources could not be compared')
    }
    return undefined
  }, options.everyMs ?? EVERY_MS)
  timer.unref()
  return () => clearInterval(timer)
}
