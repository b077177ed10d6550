// The system clock, and the one spelling of an instant in text.

/** Wall time in epoch milliseconds (UTC), and a monotonic counter for durations. */
export const systemClock = Object.freeze({
  now: (): number => Date.now(),
  monotonicMs: (): number => performance.now(),
})

/** ISO 8601 in UTC with `Z`. @throws RangeError outside the years a Date can hold */
export function isoTime(epochMs: number): string {
  return new Date(epochMs).toISOString()
}
