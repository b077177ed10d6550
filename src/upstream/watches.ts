// Which resources somebody wants to hear of, whatever source has them at the moment: settings change under open subscriptions.
import type { External } from './external.ts'

export interface Found {
  readonly external: External
  /** As the source calls it. */
  readonly uri: string
}

interface Watch {
  readonly external: External | undefined
  readonly stop: () => void
}

export class Watches {
  readonly #find: (uri: string) => Found | undefined
  readonly #watches = new Map<string, Watch>()

  /** @param find what a public address leads to now */
  constructor(find: (uri: string) => Found | undefined) {
    this.#find = find
  }

  /** @returns ends it; calling it twice is harmless */
  add(uri: string): () => void {
    this.#watches.get(uri)?.stop()
    this.#begin(uri)
    return () => {
      this.#watches.get(uri)?.stop()
      this.#watches.delete(uri)
    }
  }

  /** The sources are others. */
  renew(): void {
    for (const [uri, { external, stop }] of this.#watches) {
      if (this.#find(uri)?.external === external) continue
      stop()
      this.#begin(uri)
    }
  }

  #begin(uri: string): void {
    const found = this.#find(uri)
    const stop = found?.external.watch(found.uri)
    this.#watches.set(uri, { external: found?.external, stop: stop ?? (() => undefined) })
  }
}
