// The context ledger of a process: it observes, and writes what it counted at most once a second and at the end, so that no
// request waits for it. What a killed process counted in its last second is lost.
import type { Database } from '../../db/client.ts'
import { ledgerWriter } from '../../db/context-ledger.ts'
import { WriteBehind } from '../../db/write-behind.ts'
import type { Log } from '../context.ts'
import type { PipelineObserver } from '../observe.ts'
import { Tally } from './tally.ts'

export interface ContextLedger {
  readonly observer: PipelineObserver
  /** Resolves when everything counted so far is written, or could not be. */
  flush(): Promise<void>
  close(): Promise<void>
}

const FLUSH_MS = 1000
/** The longest pause between attempts while the database cannot be written. */
const RETRY_MS_MAX = 60_000

export function createContextLedger(db: Database, log: Pick<Log, 'warn'>): ContextLedger {
  const tally = new Tally()
  const writer = ledgerWriter(db)
  const later = new WriteBehind({
    flushMs: FLUSH_MS,
    retryMsMax: RETRY_MS_MAX,
    async write() {
      const lines = tally.take()
      try {
        await db.write(() => writer.add(lines))
      } catch (error) {
        tally.putBack(lines)
        throw error
      }
    },
    failed: (error) => log.warn({ err: error }, 'the context ledger could not be written; trying again'),
    isPending: () => !tally.isEmpty,
  })
  return {
    observer: {
      id: 'ledger',
      onList(event) {
        tally.list(event)
        later.arm()
      },
      onEnd(event) {
        tally.reply(event)
        if (!tally.isEmpty) later.arm()
      },
    },
    flush: () => later.flush(),
    close: () => later.close(),
  }
}
