// What is written to a child: at once where nothing else is under way, together where there is more in the same turn, and
// never more than a bound where nobody reads.
import type { Writable } from 'node:stream'

export class Outbox {
  readonly #stream: Writable
  readonly #charsMax: number
  #waiting = ''

  constructor(stream: Writable, charsMax: number) {
    this.#stream = stream
    this.#charsMax = charsMax
  }

  /**
   * @param together whether more is likely to come in this turn
   * @returns false where the child has left too much unread; then nothing was written
   */
  write(text: string, together: boolean): boolean {
    if (this.#waiting.length + this.#stream.writableLength + text.length > this.#charsMax) return false
    if (this.#waiting !== '') this.#waiting += text
    else if (together) {
      this.#waiting = text
      setImmediate(() => this.flush())
    } else this.#put(text)
    return true
  }

  flush(): void {
    const text = this.#waiting
    this.#waiting = ''
    if (text !== '') this.#put(text)
  }

  #put(text: string): void {
    if (this.#stream.writable) this.#stream.write(text)
  }
}
