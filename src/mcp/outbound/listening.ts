// What a 2026-07-28 server is listened to for: changes of its lists, and the resources somebody watches. A filter cannot be
// changed, so a new one is opened before the old one goes.
import type { Client, McpSubscription, SubscriptionFilter } from '@modelcontextprotocol/client'
import { isRecord, objectOf } from '../../lib/json.ts'
import { RpcError } from '../../lib/link.ts'
import { RPC_CODE } from '../../lib/mcp-names.ts'
import { backoff } from './backoff.ts'
import { failureOf } from './failures.ts'

const LASTING_MS = 60_000

export class Listening {
  readonly #client: Client
  readonly #timeoutMs: number
  readonly #note: (message: string, detail: object) => void
  readonly #watched = new Set<string>()
  #current: McpSubscription | undefined
  #opening: Promise<void> = Promise.resolve()
  #over = false
  #failures = 0
  #timer: NodeJS.Timeout | undefined

  constructor(client: Client, timeoutMs: number, note: (message: string, detail: object) => void) {
    this.#client = client
    this.#timeoutMs = timeoutMs
    this.#note = note
  }

  /** Resolves once the server has taken the filter, or has refused it. */
  start(): Promise<void> {
    return this.#reopen()
  }

  /** Resolves as `start` does. What is refused is asked for again later. */
  async watch(uri: string): Promise<void> {
    if (this.#watched.has(uri)) return
    this.#watched.add(uri)
    await this.#reopen()
  }

  async unwatch(uri: string): Promise<void> {
    if (this.#watched.delete(uri)) await this.#reopen()
  }

  async close(): Promise<void> {
    this.#over = true
    clearTimeout(this.#timer)
    await this.#current?.close()
  }

  #reopen(): Promise<void> {
    clearTimeout(this.#timer)
    // One after the other: of two filters the later one has to stay.
    this.#opening = this.#opening.then(() => this.#open())
    return this.#opening
  }

  async #open(): Promise<void> {
    const filter = this.#filter()
    if (this.#over) return
    const before = this.#current
    try {
      if (Object.keys(filter).length === 0) {
        this.#current = undefined
        return await before?.close()
      }
      const opened = await this.#client.listen(filter, { timeout: this.#timeoutMs })
      this.#current = opened
      void this.#follow(opened)
      await before?.close()
    } catch (error) {
      this.#note('a server does not tell of changes', { err: error })
      const failure = failureOf(error, 'subscriptions/listen', this.#timeoutMs)
      // Who knows nothing of it is asked again only when there is something new to ask for.
      if (!(failure instanceof RpcError && failure.code === RPC_CODE.methodNotFound)) this.#later()
    }
  }

  async #follow(opened: McpSubscription): Promise<void> {
    const since = performance.now()
    const cause = await opened.closed
    // One that lasted was honest; only those that end at once are asked for less and less often.
    if (performance.now() - since > LASTING_MS) this.#failures = 0
    if (cause !== 'local' && this.#current === opened) this.#later()
  }

  #later(): void {
    if (this.#over) return
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => void this.#reopen(), backoff(this.#failures++))
    this.#timer.unref()
  }

  #filter(): SubscriptionFilter {
    const capabilities = objectOf(this.#client.getServerCapabilities())
    const tells = (kind: string): boolean => isRecord(capabilities[kind]) && capabilities[kind]['listChanged'] === true
    return {
      ...(tells('tools') ? { toolsListChanged: true } : {}),
      ...(tells('prompts') ? { promptsListChanged: true } : {}),
      ...(tells('resources') ? { resourcesListChanged: true } : {}),
      ...(this.#watched.size > 0 ? { resourceSubscriptions: [...this.#watched] } : {}),
    }
  }
}
