// The last of what a child wrote to its standard error: always drained, never kept whole.
import { inertLine } from './notes.ts'

const BYTES_MAX = 16 * 1024
const LINES_MAX = 40

export class StderrTail {
  readonly #mask: (text: string) => string
  #bytes: Buffer = Buffer.alloc(0)

  constructor(mask: (text: string) => string) {
    this.#mask = mask
  }

  add(chunk: Buffer): void {
    const kept = Buffer.concat([this.#bytes, chunk.subarray(-BYTES_MAX)])
    this.#bytes = kept.length > BYTES_MAX ? Buffer.from(kept.subarray(-BYTES_MAX)) : kept
  }

  /** Newest last; empty ones and whatever steers a terminal left out. */
  get lines(): readonly string[] {
    return this.readable(this.#bytes.toString('utf8')).slice(-LINES_MAX)
  }

  /** The lines of a text as they may be shown. */
  readable(text: string): string[] {
    return this.#mask(text)
      .split('\n')
      .map((line) => inertLine(line).trim())
      .filter((line) => line !== '')
  }
}
