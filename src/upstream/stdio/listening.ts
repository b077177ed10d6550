// 2026-07-28: changes are told only to who listens for them. One stream says all that is listened for; it cannot be changed,
// so a new one is opened before the old one goes.
import { objectOf } from '../../lib/json.ts'
import { RPC_CODE } from '../../lib/mcp-names.ts'
import { RpcError, type JsonObject, type PeerFacts } from '../../lib/link.ts'
import type { Peer } from './peer.ts'

const AGAIN_MS = 1_000
const AGAIN_MS_MAX = 60_000
/** A stream that is neither refused nor acknowledged for so long is taken for one that stands. */
const SILENCE_MS = 5_000

export class Listening {
  readonly #peer: Peer
  readonly #lists: Readonly<Record<string, true>>
  readonly #watched = new Set<string>()
  #current: AbortController | undefined
  /** What the current stream was opened for. */
  #said = ''
  #opening: Promise<void> = Promise.resolve()
  #again = AGAIN_MS
  #timer: NodeJS.Timeout | undefined
  #over = false

  constructor(peer: Peer, { capabilities }: PeerFacts) {
    this.#peer = peer
    const lists = ['tools', 'prompts', 'resources'].filter(
      (list) => objectOf(capabilities[list])['listChanged'] === true,
    )
    this.#lists = Object.fromEntries(lists.map((list) => [`${list}ListChanged`, true]))
  }

  /** Listens for changes of lists, and again whenever that ends. */
  start(): void {
    this.#reopen().catch((error: unknown) => this.#refused(error))
  }

  /** @throws what the server answered */
  async watch(uri: string): Promise<void> {
    if (this.#watched.has(uri)) return
    this.#watched.add(uri)
    try {
      await this.#reopen()
    } catch (error) {
      this.#watched.delete(uri)
      throw error
    }
  }

  async unwatch(uri: string): Promise<void> {
    if (this.#watched.delete(uri)) await this.#reopen()
  }

  /** The connection is over. */
  close(): void {
    this.#over = true
    clearTimeout(this.#timer)
    this.#current?.abort()
  }

  /** One after the other: of two streams the later one has to stay. */
  #reopen(): Promise<void> {
    clearTimeout(this.#timer)
    const opened = this.#opening.then(() => this.#open())
    this.#opening = opened.catch((error: unknown) =>
      this.#peer.notes.say('debug', 'it refuses to tell of changes', () => ({ err: error })),
    )
    return opened
  }

  async #open(): Promise<void> {
    const before = this.#current
    const notifications: Record<string, unknown> = { ...this.#lists }
    if (this.#watched.size > 0) notifications['resourceSubscriptions'] = [...this.#watched]
    const said = JSON.stringify(notifications)
    // Of several wishes in a row the first is told all of them.
    if (this.#over || (before !== undefined && said === this.#said)) return
    if (Object.keys(notifications).length > 0) await this.#listen({ notifications })
    else this.#current = undefined
    this.#said = said
    before?.abort()
  }

  async #listen(params: JsonObject): Promise<void> {
    const stream = new AbortController()
    const stands = Promise.withResolvers<void>()
    const timer = setTimeout(stands.resolve, SILENCE_MS)
    timer.unref()
    const ended = this.#peer.request('subscriptions/listen', params, {
      timeoutMs: Infinity,
      signal: stream.signal,
      own: true,
      onAcknowledged: stands.resolve,
    })
    try {
      await Promise.race([stands.promise, ended])
    } finally {
      clearTimeout(timer)
    }
    this.#current = stream
    void this.#follow(stream, ended)
  }

  async #follow(stream: AbortController, ended: Promise<JsonObject>): Promise<void> {
    const since = performance.now()
    const [outcome] = await Promise.allSettled([ended])
    if (this.#current !== stream) return
    this.#current = undefined
    // One that lasted was honest; only those that end at once are asked for less and less often.
    if (performance.now() - since > AGAIN_MS_MAX) this.#again = AGAIN_MS
    this.#refused(outcome.status === 'rejected' ? outcome.reason : undefined)
  }

  /** Asks again later, but for who knows nothing of it. */
  #refused(error: unknown): void {
    if (this.#over || (error instanceof RpcError && error.code === RPC_CODE.methodNotFound)) return
    this.#timer = setTimeout(() => this.start(), this.#again)
    this.#timer.unref()
    this.#again = Math.min(this.#again * 2, AGAIN_MS_MAX)
  }
}
