// The system clock: the only place that reads it.

/** Wall time in epoch milliseconds (UTC), and a monotonic counter for durations. */
export const systemClock = Object.freeze({
  now: (): number => Date.now(),
  monotonicMs: (): number => performance.now(),
})
