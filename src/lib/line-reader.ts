// Cuts what comes through a pipe into lines, and keeps no more of a line than a message may have.
import { isUtf8 } from 'node:buffer'

/** What came: the text of a line, or why it is none. */
export type Line =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'not-utf8' }
  | { readonly kind: 'too-long' }

const NEWLINE = 0x0a

export class LineReader {
  readonly #bytesMax: number
  #parts: Buffer[] = []
  #bytes = 0

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax
  }

  /** Whether the line that has not ended yet is too long already. */
  get isOver(): boolean {
    return this.#bytes > this.#bytesMax
  }

  /** The lines that end in this chunk. What follows the last one is kept for the next; an empty line is no line. */
  *read(chunk: Buffer): Generator<Line> {
    let start = 0
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      this.#keep(chunk.subarray(start, end))
      start = end + 1
      const line = this.#take()
      if (line !== undefined) yield line
    }
    this.#keep(chunk.subarray(start))
  }

  /** The last line, where the bytes ended without a newline. */
  *end(): Generator<Line> {
    const line = this.#take()
    if (line !== undefined) yield line
  }

  /** The bytes of a line that has grown too long are counted and forgotten. */
  #keep(part: Buffer): void {
    this.#bytes += part.length
    if (this.#bytes > this.#bytesMax) this.#parts = []
    else if (part.length > 0) this.#parts.push(part)
  }

  #take(): Line | undefined {
    const isTooLong = this.#bytes > this.#bytesMax
    const [only] = this.#parts
    const line = only !== undefined && this.#parts.length === 1 ? only : Buffer.concat(this.#parts)
    this.#parts = []
    this.#bytes = 0
    if (isTooLong) return { kind: 'too-long' }
    if (!isUtf8(line)) return { kind: 'not-utf8' }
    const text = line.toString('utf8').trim()
    return text === '' ? undefined : { kind: 'text', text }
  }
}
