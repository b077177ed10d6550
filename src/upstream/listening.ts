// Which resources a source tells us the changes of. 2025: one by one; 2026: one long request that names all of them, which a
// connection over HTTP makes by itself.
import { LinkFailure, RpcError, type JsonObject, type Link } from '../lib/link.ts'
import type { Note } from './lists.ts'
import type { Timers } from './timers.ts'

/** The longest that a timer takes (2^31 - 1 ms). */
const FOREVER_MS = 2_147_483_647
const AGAIN_MS = 1_000
const REQUEST_MS = 30_000

export class Listening {
  readonly #timers: Timers
  readonly #note: Note
  readonly #isHttp: boolean
  readonly #watched = new Set<string>()
  #link: Link | undefined
  #listen: AbortController | undefined

  constructor(isHttp: boolean, timers: Timers, note: Note) {
    this.#isHttp = isHttp
    this.#timers = timers
    this.#note = note
  }

  /** Original addresses that somebody wants to hear of. */
  get watched(): ReadonlySet<string> {
    return this.#watched
  }

  /** A connection is up: everything is asked for again. */
  begin(link: Link): void {
    this.#link = link
    if (this.#isOneRequest(link)) return this.#listenTo(link)
    for (const uri of this.#watched) this.#subscribe(link, 'resources/subscribe', uri)
  }

  ended(): void {
    this.#link = undefined
    this.#listen?.abort()
  }

  add(uri: string): void {
    this.#watched.add(uri)
    this.#changed('resources/subscribe', uri)
  }

  remove(uri: string): void {
    if (this.#watched.delete(uri)) this.#changed('resources/unsubscribe', uri)
  }

  #changed(method: string, uri: string): void {
    const link = this.#link
    if (link === undefined) return
    if (this.#isOneRequest(link)) this.#listenTo(link)
    else this.#subscribe(link, method, uri)
  }

  #isOneRequest({ peer }: Link): boolean {
    return peer.era === '2026' && !this.#isHttp
  }

  #subscribe(link: Link, method: string, uri: string): void {
    const { resources } = link.peer.capabilities
    if (!canSubscribe(resources)) return
    link
      .request(method, { uri }, { timeoutMs: REQUEST_MS })
      .catch((error: unknown) => this.#note('debug', `${method} failed`, { err: error }))
  }

  /** The request before it is ended when what is listened to is another set. */
  #listenTo(link: Link): void {
    this.#listen?.abort()
    const controller = new AbortController()
    this.#listen = controller
    if (this.#watched.size === 0 || !canSubscribe(link.peer.capabilities['resources'])) return
    const notifications: JsonObject = { resourceSubscriptions: [...this.#watched] }
    const again = (): void => {
      this.#timers.later(AGAIN_MS, () => {
        if (this.#link === link && this.#listen === controller) this.#listenTo(link)
      })
    }
    link
      .request('subscriptions/listen', { notifications }, { timeoutMs: FOREVER_MS, signal: controller.signal })
      .then(again, (error: unknown) => {
        if (controller.signal.aborted || error instanceof LinkFailure) return
        this.#note('debug', 'subscriptions/listen failed', { err: error })
        if (!(error instanceof RpcError)) again()
      })
  }
}

function canSubscribe(resources: unknown): boolean {
  return typeof resources === 'object' && resources !== null && 'subscribe' in resources && resources.subscribe === true
}
