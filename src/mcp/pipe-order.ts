// The order of what one client sends down one pipe. A client may send a write and then a read without waiting for the first
// answer; the read must see what was written. Over HTTP nothing of the kind is owed: requests there are independent of each
// other, and whoever wants an order waits for the answer.
//
// The rule: calls start in the order in which they came, and one that may look at what is stored starts only when every
// write before it has been answered, or has put a question to the user, which may take long. Writes do not wait for each
// other, so that they still share a commit. Everything that neither reads nor writes what is stored passes at once: pings,
// cancellations, progress, answers to questions, and lists where calls do not change them.
import type { JSONRPCMessage, JSONRPCRequest } from '@modelcontextprotocol/server'
import { isRecord } from '../lib/json.ts'
import type { RequestId } from './answer.ts'

/** What waits at the front goes ahead after this time, whatever the writes before it do. */
const WAIT_MS_MAX = 10_000

const CALLS: ReadonlySet<string> = new Set(['tools/call', 'resources/read', 'prompts/get', 'completion/complete'])
const LISTS: ReadonlySet<string> = new Set(['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list'])

export interface PipeOrderOptions {
  /** Whether a `tools/call` with these parameters may change what is stored. */
  readonly isWrite: (params: Readonly<Record<string, unknown>>) => boolean
  /** Whether calls may change what is listed, so that a list has to wait for them like any read. Default false. */
  readonly listsMove?: boolean
  readonly start: (message: JSONRPCMessage) => void
}

export class PipeOrder {
  readonly #options: PipeOrderOptions
  readonly #writes = new Set<RequestId>()
  #waiting: JSONRPCRequest[] = []
  #timer: NodeJS.Timeout | undefined

  constructor(options: PipeOrderOptions) {
    this.#options = options
  }

  /** Starts a message now or when its turn comes. */
  add(message: JSONRPCMessage): void {
    if (!this.#waits(message)) return this.#options.start(message)
    this.#waiting.push(message)
    this.#advance()
  }

  /** Nobody waits for this request any more: it was answered, or it waits for the user. */
  pass(id: RequestId): void {
    if (this.#writes.delete(id)) this.#advance()
  }

  /** The client takes a request back: one that has not started never will. */
  cancel(id: RequestId): void {
    this.#waiting = this.#waiting.filter((message) => message.id !== id)
    this.#writes.delete(id)
    this.#advance()
  }

  /** Forgets everything. */
  close(): void {
    this.#waiting = []
    this.#writes.clear()
    this.#advance()
  }

  #advance(): void {
    for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
      const writes = this.#isWrite(next)
      if (!writes && this.#writes.size > 0) return this.#wait()
      this.#stop()
      this.#waiting.shift()
      if (writes) this.#writes.add(next.id)
      this.#options.start(next)
    }
    this.#stop()
  }

  #waits(message: JSONRPCMessage): message is JSONRPCRequest {
    if (!('method' in message && 'id' in message)) return false
    return CALLS.has(message.method) || (this.#options.listsMove === true && LISTS.has(message.method))
  }

  #isWrite({ method, params }: JSONRPCRequest): boolean {
    return method === 'tools/call' && isRecord(params) && this.#options.isWrite(params)
  }

  #wait(): void {
    this.#timer ??= setTimeout(() => {
      this.#stop()
      this.#writes.clear()
      this.#advance()
    }, WAIT_MS_MAX)
  }

  #stop(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }
}
