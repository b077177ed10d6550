// Which resources a source tells us the changes of. Asked for one by one: in a 2026 connection the link makes one request of them.
import { objectOf } from '../lib/json.ts'
import type { Link } from '../lib/link.ts'
import type { Note } from './lists.ts'

const REQUEST_MS = 30_000

export class Listening {
  readonly #note: Note
  readonly #watched = new Set<string>()
  #link: Link | undefined

  /** Whether anybody wants to hear of any. */
  get isWanted(): boolean {
    return this.#watched.size > 0
  }

  constructor(note: Note) {
    this.#note = note
  }

  /** A connection is up: everything is asked for again. */
  begin(link: Link): void {
    this.#link = link
    for (const uri of this.#watched) this.#send('resources/subscribe', uri)
  }

  ended(): void {
    this.#link = undefined
  }

  /** @param uri as the source calls it */
  add(uri: string): void {
    this.#watched.add(uri)
    this.#send('resources/subscribe', uri)
  }

  remove(uri: string): void {
    if (this.#watched.delete(uri)) this.#send('resources/unsubscribe', uri)
  }

  #send(method: string, uri: string): void {
    const link = this.#link
    if (link === undefined || objectOf(link.peer.capabilities['resources'])['subscribe'] !== true) return
    link
      .request(method, { uri }, { timeoutMs: REQUEST_MS })
      .catch((error: unknown) => this.#note('debug', `${method} failed`, { err: error }))
  }
}
