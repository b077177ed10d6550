// The context ledger of a process: it observes, and writes what it counted at most once a second and at the end, so that no
// request waits for it. What a killed process counted in its last second is lost.
import type { Database } from '../../db/client.ts'
import { ledgerWriter } from '../../db/context-ledger.ts'
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
  let failures = 0
  let timer: NodeJS.Timeout | undefined
  let writing: Promise<void> = Promise.resolve()

  const write = async (): Promise<void> => {
    const lines = tally.take()
    if (lines.length === 0) return
    try {
      await db.write(() => writer.add(lines))
      failures = 0
    } catch (error) {
      failures++
      tally.putBack(lines)
      log.warn({ err: error }, 'the context ledger could not be written; trying again')
      arm()
    }
  }
  const flush = (): Promise<void> => {
    clearTimeout(timer)
    timer = undefined
    writing = writing.then(write)
    return writing
  }
  const arm = (): void => {
    timer ??= setTimeout(() => void flush(), Math.min(FLUSH_MS * 2 ** failures, RETRY_MS_MAX)).unref()
  }
  return {
    observer: {
      id: 'ledger',
      onList(event) {
        tally.list(event)
        arm()
      },
      onEnd(event) {
        tally.reply(event)
        if (timer === undefined && !tally.isEmpty) arm()
      },
    },
    flush,
    async close() {
      await flush()
      clearTimeout(timer)
    },
  }
}
