// Wakes when a schedule is due. Several processes may run one on the same data folder: a lease decides who fires.
import { GatewayError } from '../../errors.ts'
import type { Clock } from '../../runtime/context.ts'
import { fireDue, realign, sweep, type FiringFacts } from './firing.ts'
import { earliestDue } from './queries/schedules.ts'

/** Longest sleep: a changed clock, or a schedule that another process added, is seen within this time. */
const SLEEP_MS_MAX = 15_000
/** Shortest sleep, also after a failure or while another process holds the lease. */
const SLEEP_MS_MIN = 50
const RETRY_MS = 2_000
/** After an error that we do not know: reminders must not end with it. */
const FAILED_MS = 60_000
const SWEEP_EVERY_MS = 3_600_000
/** A clock that goes back further than this was set, not adjusted. */
const CLOCK_BACK_MS = 60_000

export interface SchedulerOptions extends FiringFacts {
  readonly clock: Clock
  readonly sleepMsMax?: number
}

/** Makes a scheduler that runs only when `tick` is called: one look at the schedules. @returns milliseconds until the next */
export function createScheduler(options: SchedulerOptions): { readonly tick: () => Promise<number> } {
  const { db, clock, log } = options
  const sleepMsMax = options.sleepMsMax ?? SLEEP_MS_MAX
  let lastLook = Number.POSITIVE_INFINITY
  let lastSweep = Number.NEGATIVE_INFINITY

  const look = async (): Promise<number> => {
    const now = clock.now()
    if (now < lastLook - CLOCK_BACK_MS) {
      await realign(options, now)
      lastSweep = Number.NEGATIVE_INFINITY
    }
    lastLook = now
    if ((earliestDue(db) ?? Number.POSITIVE_INFINITY) <= now && (await fireDue(options, now)) === undefined)
      return RETRY_MS
    if (now - lastSweep >= SWEEP_EVERY_MS) {
      await sweep(options, now)
      lastSweep = now
    }
    const untilDue = (earliestDue(db) ?? Number.POSITIVE_INFINITY) - clock.now()
    return Math.max(SLEEP_MS_MIN, Math.min(sleepMsMax, untilDue))
  }

  return {
    async tick() {
      try {
        return await look()
      } catch (error) {
        const passing = error instanceof GatewayError && error.kind === 'unavailable'
        log[passing ? 'warn' : 'error']({ err: error }, 'schedules could not be looked at and will be again')
        return passing ? RETRY_MS : FAILED_MS
      }
    },
  }
}

/**
 * Starts a scheduler on a timer that keeps no process alive.
 * @returns stops it; resolves when a look that is under way has ended. Repeatable
 */
export function startScheduler(options: SchedulerOptions): () => Promise<void> {
  const { tick } = createScheduler(options)
  let timer: NodeJS.Timeout | undefined
  let running = Promise.resolve()
  let stopped = false

  const run = async (): Promise<void> => {
    const sleepMs = await tick()
    if (!stopped && options.db.sqlite.open) arm(sleepMs)
  }
  const arm = (sleepMs: number): void => {
    timer = setTimeout(() => {
      running = run()
    }, sleepMs)
    timer.unref()
  }
  arm(0)
  return async () => {
    stopped = true
    clearTimeout(timer)
    await running
  }
}
