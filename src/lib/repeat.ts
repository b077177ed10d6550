// Work that comes again and again while a process stays, one run at a time. Keeps no process alive.
import { setTimeout as delay } from 'node:timers/promises'

export interface Rhythm {
  /** Milliseconds until the first run; at once where it is 0. */
  readonly firstMs: number
  /** Milliseconds from the end of a run to the next; one run only where absent. */
  readonly everyMs?: number | undefined
}

/**
 * @param work deals with its own failures; the signal aborts when no more of it is wanted
 * @returns ends it; resolves when no run is under way
 */
export function repeat(
  work: (signal: AbortSignal) => Promise<void>,
  { firstMs, everyMs }: Rhythm,
): () => Promise<void> {
  const ending = new AbortController()
  const { signal } = ending
  const run = async (): Promise<void> => {
    if (firstMs > 0 && !(await hasPassed(firstMs, signal))) return
    await work(signal)
    if (everyMs === undefined) return
    while (await hasPassed(everyMs, signal)) await work(signal)
  }
  const ended = run()
  return async () => {
    ending.abort()
    await ended
  }
}

/** False when the end came first. */
async function hasPassed(ms: number, signal: AbortSignal): Promise<boolean> {
  try {
    return await delay(ms, true, { signal, ref: false })
  } catch (error) {
    if (signal.aborted) return false
    throw error
  }
}
