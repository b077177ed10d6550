// Long work of the CPU in short slices, so that whatever else the process does need not wait for all of it.
import { setImmediate as nextTurn } from 'node:timers/promises'

/** Work that can pause at every `yield`. */
export type Steps<T> = Generator<undefined, T, undefined>

/** Below what a person, or a probe of the event loop, notices. */
const SLICE_MS = 5

/** Does all of it now. */
export function atOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
  }
}

/**
 * Does it a slice at a time. One step longer than a slice is still done whole.
 * @param isWanted asked before every slice
 * @returns undefined where it was no longer wanted
 */
export async function inSlices<T>(steps: Steps<T>, isWanted: () => boolean = () => true): Promise<T | undefined> {
  while (isWanted()) {
    const until = performance.now() + SLICE_MS
    do {
      const step = steps.next()
      if (step.done === true) return step.value
    } while (performance.now() < until)
    await nextTurn()
  }
  return undefined
}
