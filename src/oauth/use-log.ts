// When each token was last used: noted in memory on every use, written at most once a minute and at the end.
import type { Database, Tx } from '../db/client.ts'
import type { Log } from '../runtime/context.ts'

export interface UseLog {
  /** A function for the hot path that notes the time of a use of this token. */
  recorder(id: number): (now: number) => void
  /** The later of what is written and what is only noted yet: what a person is shown. */
  latest(id: number, written: number | null): number | null
  /** What was noted of a token is none of its uses any more: it has another secret. */
  forget(id: number): void
  /** Writes what was noted since the last time. */
  flush(): Promise<void>
  close(): Promise<void>
}

export interface UseLogOptions {
  /** Whether uses are written on a timer; without, only `flush` and `close` write. */
  readonly watch: boolean
  readonly log: Log
  /** Writes one use. */
  readonly mark: (tx: Tx, id: number, at: number) => void
}

const FLUSH_MS = 60_000

export function createUseLog(db: Database, { watch, log, mark }: UseLogOptions): UseLog {
  let noted = new Map<number, number>()
  /** Kept until they can be read in the database. */
  let underWay = new Map<number, number>()
  const flush = async (): Promise<void> => {
    if (noted.size === 0) return
    const uses = noted
    noted = new Map()
    underWay = uses
    await db.write((tx) => {
      for (const [id, at] of uses) mark(tx, id, at)
    })
    if (underWay === uses) underWay = new Map()
  }
  // A failed write is no reason to stop: the uses of the next minute say the same again.
  const tell = (error: unknown): void => log.warn({ err: error }, 'last uses of tokens were not written')
  const timer = watch ? setInterval(() => void flush().catch(tell), FLUSH_MS).unref() : undefined
  return {
    recorder: (id) => (now) => void noted.set(id, now),
    latest(id, written) {
      const unwritten = noted.get(id) ?? underWay.get(id)
      return unwritten === undefined || (written !== null && written > unwritten) ? written : unwritten
    },
    forget(id) {
      noted.delete(id)
      underWay.delete(id)
    },
    flush,
    async close() {
      clearInterval(timer)
      await flush()
    },
  }
}
