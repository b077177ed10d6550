// Resources that clients of a process without a network want to hear of: told by the gateway while there is one, else by
// connections of this process while it looks after the servers. Who tells may change while somebody listens.
import type { Custody } from './custody.ts'
import type { Through } from './through.ts'

/** How often it is looked who tells, while anybody listens. */
const LOOK_MS = 1_000

type Watch = (uri: string) => () => void

interface Place {
  readonly key: string
  readonly watch: Watch
}

const NOBODY: Place = { key: '', watch: () => () => undefined }

export class SharedWatches {
  readonly #own: Watch
  readonly #through: Through
  readonly #custody: Custody
  readonly #stops = new Map<string, () => void>()
  #place = NOBODY
  #timer: NodeJS.Timeout | undefined

  constructor(own: Watch, { through, custody }: { readonly through: Through; readonly custody: Custody }) {
    this.#own = own
    this.#through = through
    this.#custody = custody
  }

  /** @returns ends it; calling it twice is harmless */
  add(uri: string): () => void {
    this.#look()
    this.#stops.get(uri)?.()
    this.#stops.set(uri, this.#place.watch(uri))
    this.#timer ??= setInterval(() => this.#look(), LOOK_MS).unref()
    return () => {
      this.#stops.get(uri)?.()
      this.#stops.delete(uri)
      if (this.#stops.size > 0) return
      clearInterval(this.#timer)
      this.#timer = undefined
    }
  }

  #look(): void {
    const place = this.#placeNow()
    if (place.key === this.#place.key) return
    this.#place = place
    for (const [uri, stop] of this.#stops) {
      stop()
      this.#stops.set(uri, place.watch(uri))
    }
  }

  #placeNow(): Place {
    const { gateway } = this.#through
    if (gateway !== undefined) {
      const key = `${gateway.key} ${this.#through.connections}`
      return { key, watch: (uri) => this.#through.watch(gateway, uri) }
    }
    if (this.#custody.isHeld) return { key: 'own', watch: this.#own }
    // Whoever has them keeps them; if that is nobody, the next look finds them here.
    void this.#custody.tryTake()
    return NOBODY
  }
}
