// Lets a client finish sending a body that is too large, within bounds: one that is cut off in the middle of sending
// never reads why.
import type { IncomingMessage } from 'node:http'

const BOUNDS = { bytesMax: 64 * 1024 * 1024, ms: 5_000 }

/** Reads and forgets the rest of a request. Resolves at its end, or at a bound. */
export function drain(request: IncomingMessage): Promise<void> {
  if (request.readableEnded || request.destroyed) return Promise.resolve()
  return new Promise((resolve) => {
    let bytes = 0
    const timer = setTimeout(done, BOUNDS.ms)
    function count(chunk: Buffer): void {
      bytes += chunk.length
      if (bytes > BOUNDS.bytesMax) done()
    }
    function done(): void {
      clearTimeout(timer)
      request.off('data', count).off('end', done).off('close', done)
      request.pause()
      resolve()
    }
    request.on('data', count).once('end', done).once('close', done)
    request.resume()
  })
}
