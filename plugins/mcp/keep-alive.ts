// Comments on a stream that has been silent, so that no proxy or client takes it for dead (HTML standard, server-sent events §9.2.7).
import type { ServerResponse } from 'node:http'

export const KEEP_ALIVE_MS = 20_000

const COMMENT = ': keep-alive\n\n'

/**
 * Writes a comment whenever nothing was written for `everyMs`. Between events only: every write is whole events.
 * @returns `wrote`, to be called after each write, and `stop`
 */
export function keepAlive(
  response: ServerResponse,
  everyMs: number,
): {
  readonly wrote: () => void
  readonly stop: () => void
} {
  const timer = setInterval(() => {
    // A client that takes nothing is not waiting for comments.
    if (response.writable && !response.writableNeedDrain) response.write(COMMENT)
  }, everyMs)
  timer.unref()
  return { wrote: () => void timer.refresh(), stop: () => clearInterval(timer) }
}
