// The last of what a child wrote to its standard error: always drained, never kept whole.
import { inertLine } from './notes.ts'

const BYTES_MAX = 16 * 1024
const LINES_MAX = 40
const SECRET_CHARS_MIN = 6

export class StderrTail {
  readonly #secrets: readonly string[]
  #bytes: Buffer = Buffer.alloc(0)

  /** @param secrets values that stand in no line, such as those of the variables that the operator declared */
  constructor(secrets: readonly string[] = []) {
    this.#secrets = secrets.filter((secret) => secret.length >= SECRET_CHARS_MIN)
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
    let masked = text
    for (const secret of this.#secrets) masked = masked.replaceAll(secret, '[masked]')
    return masked
      .split('\n')
      .map((line) => inertLine(line).trim())
      .filter((line) => line !== '')
  }
}
