// Standard input and output as a transport that answers what it has read before it obeys the end of its input.
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio'
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server'
import { PassThrough, type Readable, type Writable } from 'node:stream'
import type { RequestId } from './answer.ts'
import { isRecord } from './protocol.ts'

/**
 * The SDK's own transport drops calls in flight when its input ends; a client that writes and closes (a pipe, a script)
 * would get nothing. Here the input ends for the SDK only after every request was answered, or `graceMs` have passed.
 */
export class StdioTransport implements Transport {
  onclose?: () => void
  onerror?: (error: Error) => void
  onmessage?: (message: JSONRPCMessage) => void
  readonly #input: Readable
  readonly #passed = new PassThrough()
  readonly #inner: StdioServerTransport
  readonly #graceMs: number
  readonly #pending = new Set<RequestId>()
  #drained: (() => void) | undefined
  #ending = false

  constructor(input: Readable, output: Writable, graceMs: number) {
    this.#input = input
    this.#graceMs = graceMs
    this.#inner = new StdioServerTransport(this.#passed, output)
  }

  async start(): Promise<void> {
    this.#inner.onmessage = (message) => {
      this.#note(message)
      this.onmessage?.(message)
    }
    this.#inner.onerror = (error) => this.onerror?.(error)
    this.#inner.onclose = () => {
      this.#input.unpipe(this.#passed)
      this.#input.pause()
      this.onclose?.()
    }
    await this.#inner.start()
    for (const event of ['end', 'close', 'error']) this.#input.once(event, () => void this.#inputEnded())
    this.#input.pipe(this.#passed, { end: false })
  }

  async send(message: JSONRPCMessage): Promise<void> {
    await this.#inner.send(message)
    if ('id' in message && !('method' in message) && message.id !== undefined) this.#settle(message.id)
  }

  async close(): Promise<void> {
    await this.#inner.close()
  }

  /** Takes no more input and waits for the answers that are due. */
  async drain(): Promise<void> {
    this.#input.unpipe(this.#passed)
    // What was written into the pipe is read on the next turn; only then is the set of pending requests complete.
    await new Promise((resolve) => setImmediate(resolve))
    if (this.#pending.size > 0) await this.#answers()
  }

  async #inputEnded(): Promise<void> {
    if (this.#ending) return
    this.#ending = true
    await this.drain()
    this.#passed.end()
  }

  #answers(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, this.#graceMs)
      this.#drained = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }

  #note(message: JSONRPCMessage): void {
    if (!('method' in message)) return
    if ('id' in message) {
      // A subscription is answered when it ends, so it is nothing to wait for.
      if (message.method !== 'subscriptions/listen') this.#pending.add(message.id)
    }
    if (message.method === 'notifications/cancelled' && isRecord(message.params)) {
      const id = message.params['requestId']
      if (typeof id === 'string' || typeof id === 'number') this.#settle(id)
    }
  }

  #settle(id: RequestId): void {
    this.#pending.delete(id)
    if (this.#pending.size === 0) this.#drained?.()
  }
}
