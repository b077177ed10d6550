// A start reads and compiles much that is never needed again. V8 collects it when the heap has grown further, which on an
// idle gateway is never; until then it is memory that a small machine lacks.
import { performance } from 'node:perf_hooks'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Busier than this share of the time, the process is not idle: a full collection holds everything for some 50 ms. */
const BUSY_SHARE_MAX = 0.02
const LOOKS_MAX = 30

export interface SettleOptions {
  /** Milliseconds between looks, 3000 unless told. */
  readonly everyMs?: number
  /** Called once, when memory was given back or the process was never idle. */
  readonly done?: (settled: boolean) => void
}

/** Gives the memory of a start back to the system, once, after the first spell without work. Keeps no process alive. */
export function settleOnceIdle({ everyMs = 3_000, done }: SettleOptions = {}): void {
  let seen = performance.eventLoopUtilization()
  let looks = 0
  const timer = setInterval(() => {
    const now = performance.eventLoopUtilization()
    const isIdle = performance.eventLoopUtilization(now, seen).utilization <= BUSY_SHARE_MAX
    seen = now
    looks++
    if (!isIdle && looks < LOOKS_MAX) return
    clearInterval(timer)
    if (isIdle) collectAll()
    done?.(isIdle)
  }, everyMs)
  timer.unref()
}

/** V8 hands its collector out to new contexts only, and only while the flag is set. */
function collectAll(): void {
  setFlagsFromString('--expose-gc')
  const collect: unknown = runInNewContext('gc')
  setFlagsFromString('--no-expose-gc')
  // "last-resort" also moves what is left together and returns the emptied pages.
  if (typeof collect === 'function') collect({ type: 'major', execution: 'sync', flavor: 'last-resort' })
}
