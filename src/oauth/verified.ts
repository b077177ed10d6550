// Tokens verified a moment ago, so that a busy caller costs one hash and one look-up instead of a query.
import { hash } from 'node:crypto'
import type { Caller } from '../runtime/context.ts'

/** What a good token stands for. */
export interface VerifiedToken {
  readonly caller: Caller
  /** Its audience: the id of a server, or `all`. */
  readonly server: string
  /** Epoch milliseconds; `Infinity` for a token that does not expire. */
  readonly expiresAt: number
  /** Called with the time of each use; must be cheap. */
  used(now: number): void
  /** Looks up whether it would be let in again at this time. For what outlives a request. */
  isGood(now: number): boolean
}

const ENTRIES_MAX = 1000

/** SHA-256 in lower-case hex. */
export function digestOf(text: string): string {
  return hash('sha256', text, 'hex')
}

/**
 * A bounded map from the digest of an Authorization header to what its token stands for. It never holds a token in clear,
 * and looking up a digest tells a guesser nothing by its timing. Whoever revokes a token clears it; so does a commit of
 * another process.
 */
export class VerifiedTokens {
  readonly #entries = new Map<string, VerifiedToken>()
  /** Digests that were good before the map was cleared: to be looked up again, but no strangers. */
  readonly #cleared = new Set<string>()
  readonly #listeners = new Set<() => void>()

  /** The live entry of a digest, if there is one. */
  find(digest: string, now: number): VerifiedToken | undefined {
    const entry = this.#entries.get(digest)
    if (entry === undefined) return undefined
    if (entry.expiresAt > now) return entry
    this.#entries.delete(digest)
    return undefined
  }

  remember(digest: string, entry: VerifiedToken): void {
    if (this.#entries.size >= ENTRIES_MAX) {
      const oldest = this.#entries.keys().next()
      if (oldest.done !== true) this.#entries.delete(oldest.value)
    }
    this.#entries.set(digest, entry)
  }

  /** Whether this digest was good before the map was cleared. True once: whoever asks looks it up again. */
  recall(digest: string): boolean {
    return this.#cleared.delete(digest)
  }

  /** Everything has to be looked up again. */
  clear(): void {
    for (const digest of this.#entries.keys()) this.#cleared.add(digest)
    this.#entries.clear()
    for (const oldest of this.#cleared) {
      if (this.#cleared.size <= ENTRIES_MAX) break
      this.#cleared.delete(oldest)
    }
    for (const listener of this.#listeners) listener()
  }

  /** Calls `listener` whenever a token may have ended. @returns stops calling */
  onClear(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  get size(): number {
    return this.#entries.size
  }
}
