// Time as supervision sees it: a clock that never goes back and calls that come later. Given, so that tests turn it by hand.
import { systemClock } from '../lib/time.ts'

export interface Timers {
  /** Milliseconds since any fixed point. */
  now(): number
  /** Calls `run` once after `ms`. @returns takes it back */
  later(ms: number, run: () => void): () => void
}

/** Keeps no process alive. */
export const systemTimers: Timers = Object.freeze({
  now: systemClock.monotonicMs,
  later(ms: number, run: () => void): () => void {
    const timer = setTimeout(run, ms)
    timer.unref()
    return () => clearTimeout(timer)
  },
})
