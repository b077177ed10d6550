// The system clock, the only place that reads it, and how long things last.

export const MINUTE_MS = 60_000
export const HOUR_MS = 60 * MINUTE_MS
export const DAY_MS = 24 * HOUR_MS

/** Wall time in epoch milliseconds (UTC), and a monotonic counter for durations. */
export const systemClock = Object.freeze({
  now: (): number => Date.now(),
  monotonicMs: (): number => performance.now(),
})
