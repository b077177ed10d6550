// What is worth a line in the log, but not a thousand: bounded per minute, with a word about the rest.
import { stripVTControlCharacters } from 'node:util'
import { STEERING } from '../../lib/steering.ts'
import { MINUTE_MS } from '../../lib/time.ts'
import type { OpenOptions } from '../../lib/link.ts'

const PER_MINUTE = 30
const CHARS_MAX = 500

/** A line of a stranger, bounded, with nothing in it that a terminal obeys. */
export function inertLine(text: string): string {
  return stripVTControlCharacters(text.slice(0, CHARS_MAX)).replaceAll(STEERING, '')
}

/** Shorter values are words as others use them too. */
const SECRET_CHARS_MIN = 6

/** Takes values out of texts that a server wrote, such as those of the variables that the operator declared for it. */
export function maskOf(values: Iterable<string>): (text: string) => string {
  const secrets = [...values].filter((value) => value.length >= SECRET_CHARS_MIN)
  return (text) => secrets.reduce((masked, secret) => masked.replaceAll(secret, '[masked]'), text)
}

export class Notes {
  readonly #note: OpenOptions['note']
  #since = -Infinity
  #count = 0

  constructor(note: OpenOptions['note']) {
    this.#note = note
  }

  /** Whether anything said now would be heard. */
  get isOpen(): boolean {
    return this.#count < PER_MINUTE || performance.now() - this.#since > MINUTE_MS
  }

  /** @param detail only made where it is heard */
  say(level: 'debug' | 'warn', message: string, detail?: () => object): void {
    const now = performance.now()
    if (now - this.#since > MINUTE_MS) {
      const missed = this.#count - PER_MINUTE
      if (missed > 0) this.#note('debug', `${missed} more lines like these were left out`)
      this.#since = now
      this.#count = 0
    }
    this.#count++
    if (this.#count <= PER_MINUTE) this.#note(level, message, detail?.())
  }
}
