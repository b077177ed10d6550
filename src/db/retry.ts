// How long and how often we wait for another process that holds the database. Waiting happens on a timer, so the event
// loop stays free; SQLite itself blocks for at most `busyTimeoutMs` per attempt.
import { setTimeout as sleep } from 'node:timers/promises'
import { isBusy } from './faults.ts'

/** What SQLite may block one attempt for. Kept far under a frame: the rest of the wait is a timer's. */
export const busyTimeoutMs = 20

const pauseFirstMs = 2
const pauseMsMax = 40

/**
 * The pause before attempt number `attempt` (from 0): doubles up to 40 ms, then a random half of it is taken off, so that
 * processes that were refused together do not come back together.
 */
export function pauseMs(attempt: number): number {
  const ceiling = Math.min(pauseMsMax, pauseFirstMs * 2 ** Math.min(attempt, 10))
  return ceiling / 2 + (Math.random() * ceiling) / 2
}

/**
 * Runs `step` until it is not refused with SQLITE_BUSY, for at most `waitMs` in all.
 * @throws the last SQLITE_BUSY once the time is over, and any other error at once
 */
export async function whenFree<T>(step: () => T, waitMs: number): Promise<T> {
  const deadline = performance.now() + waitMs
  for (let attempt = 0; ; attempt++) {
    try {
      return step()
    } catch (error) {
      if (!isBusy(error) || performance.now() >= deadline) throw error
    }
    await sleep(pauseMs(attempt))
  }
}
