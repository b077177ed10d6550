// Tells the change bus when a resource of this room reads differently than before, whoever made the change: a tool, the
// scheduler, or another process on the same data folder. What did not change is not announced. Whoever keeps what was made
// from sections is told here too.
import type { Database } from '../../db/client.ts'
import type { ChangeBus } from '../../runtime/bus.ts'
import type { Log } from '../../runtime/context.ts'
import { changeMark } from './queries/changes.ts'
import { sectionsMark } from './queries/sections.ts'
import { CATEGORIES_URI, CONTEXT_URI, categoriesText, contextText } from './resources.ts'
import { sectionsChanged } from './section-signal.ts'

const EVERY_MS = 1000
/** At most this share of the time is spent on comparing. */
const SHARE_MAX = 0.01

interface WatchedResources {
  readonly db: Database
  readonly deviceId: string | null
}

export interface ResourceWatchOptions extends WatchedResources {
  readonly bus: ChangeBus
  readonly log: Log
  /** How often to look, in milliseconds. A look at an unchanged database costs a few microseconds. */
  readonly everyMs?: number
}

/** Begins to watch; the timer keeps no process alive and ends when the database is closed. @returns stops watching */
export function startResourceWatch(options: ResourceWatchOptions): () => void {
  const { db, bus, log, everyMs = EVERY_MS } = options
  const look = createResourceLook(options)
  let timer: NodeJS.Timeout
  const run = (): void => {
    if (!db.sqlite.open) return
    const begun = performance.now()
    try {
      for (const uri of look()) bus.emit({ kind: 'resource', uri })
    } catch (error) {
      log.warn({ err: error }, 'resources could not be compared')
    }
    arm(Math.max(everyMs, (performance.now() - begun) / SHARE_MAX))
  }
  const arm = (sleepMs: number): void => {
    timer = setTimeout(run, sleepMs)
    timer.unref()
  }
  arm(everyMs)
  return () => clearTimeout(timer)
}

/** @returns a function that names the resources that read differently than at its last call, or than now at its first */
export function createResourceLook({ db, deviceId }: WatchedResources): () => string[] {
  const read = (): [uri: string, text: string][] => [
    [CONTEXT_URI, contextText(db, { deviceId, projectId: null })],
    [CATEGORIES_URI, categoriesText(db)],
  ]
  let mark = changeMark(db)
  let sections = sectionsMark(db)
  let texts = new Map(read())
  return () => {
    const next = changeMark(db)
    if (next === mark) return []
    const sectionsNow = sectionsMark(db)
    const hasNewSections = sectionsNow !== sections
    if (hasNewSections) sectionsChanged(db)
    sections = sectionsNow
    const before = texts
    texts = new Map(read())
    mark = next
    return [...texts].flatMap(([uri, text]) => {
      // A client that works elsewhere reads the sections of another scope.
      const isSame = text === before.get(uri) && !(uri === CONTEXT_URI && hasNewSections)
      return isSame ? [] : uri
    })
  }
}
