// Standard input and output as a transport that answers all it has read: garbage with an error, calls in an order that can
// be relied on, and what is due before it obeys the end of its input.
import { parseJSONRPCMessage } from '@modelcontextprotocol/server'
import type { JSONRPCMessage, Transport, TransportSendOptions } from '@modelcontextprotocol/server'
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio'
import { PassThrough, type Readable, type Writable } from 'node:stream'
import { FixedWindow } from '../lib/fixed-window.ts'
import { isRecord } from '../lib/json.ts'
import { toError } from '../lib/thrown.ts'
import { readableId, type RequestId } from './answer.ts'
import { LineReader, type Line } from '../lib/line-reader.ts'
import { PipeOrder, type PipeOrderOptions } from './pipe-order.ts'
import { CODE } from './protocol.ts'

const LINE_BYTES_MAX = 10 << 20

/** Answers to lines that are no messages, per second; a client that sends more has lost its way and gets no flood back. */
const COMPLAINTS_MAX = 10

export interface StdioTransportOptions {
  readonly input: Readable
  readonly output: Writable
  /** How long the answers that are due may take once the input has ended, in milliseconds. */
  readonly graceMs: number
  readonly isWrite: PipeOrderOptions['isWrite']
  readonly listsMove: boolean
  /** Told of every message before it is served. */
  readonly onRead?: (message: JSONRPCMessage) => void
  readonly now: () => number
}

/**
 * The SDK's own transport drops calls in flight when its input ends; a client that writes and closes (a pipe, a script)
 * would get nothing. Here it serves the output only, and is closed after every request was answered, or `graceMs` have
 * passed.
 */
export class StdioTransport implements Transport {
  onclose?: () => void
  onerror?: (error: Error) => void
  onmessage?: (message: JSONRPCMessage) => void
  readonly #input: Readable
  readonly #output: Writable
  readonly #inner: StdioServerTransport
  readonly #graceMs: number
  readonly #now: () => number
  readonly #onRead: StdioTransportOptions['onRead']
  readonly #lines = new LineReader(LINE_BYTES_MAX)
  readonly #order: PipeOrder
  readonly #complaints = new FixedWindow({ max: COMPLAINTS_MAX, windowMs: 1_000 })
  readonly #pending = new Set<RequestId>()
  readonly #read = (chunk: Buffer): void => {
    for (const line of this.#lines.read(chunk)) this.#take(line)
  }
  /** Only a proper end: what a broken pipe or our own stop cuts off is half a message. */
  readonly #finish = (): void => {
    for (const line of this.#lines.end()) this.#take(line)
  }
  #drained: (() => void) | undefined
  #ending = false

  constructor(options: StdioTransportOptions) {
    this.#input = options.input
    this.#output = options.output
    this.#graceMs = options.graceMs
    this.#now = options.now
    this.#onRead = options.onRead
    this.#order = new PipeOrder({
      isWrite: options.isWrite,
      listsMove: options.listsMove,
      start: (message) => this.onmessage?.(message),
    })
    this.#inner = new StdioServerTransport(new PassThrough(), options.output)
  }

  async start(): Promise<void> {
    this.#inner.onerror = (error) => this.onerror?.(error)
    this.#inner.onclose = () => {
      this.#input.off('data', this.#read).off('end', this.#finish)
      this.#input.pause()
      this.#order.close()
      this.onclose?.()
    }
    await this.#inner.start()
    this.#input.once('end', this.#finish)
    for (const event of ['end', 'close', 'error']) this.#input.once(event, () => void this.#inputEnded())
    this.#input.on('data', this.#read)
  }

  async send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    const asker = 'method' in message && 'id' in message ? options?.relatedRequestId : undefined
    if (asker !== undefined) this.#order.pass(asker)
    await this.#inner.send(message)
    if ('id' in message && !('method' in message) && message.id !== undefined) {
      this.#settle(message.id)
      this.#order.pass(message.id)
    }
  }

  async close(): Promise<void> {
    await this.#inner.close()
  }

  /** Takes no more input and waits for the answers that are due. */
  async drain(): Promise<void> {
    // What was written into the pipe is read on the next turn; only then is the set of pending requests complete.
    await new Promise((resolve) => setImmediate(resolve))
    this.#input.off('data', this.#read).off('end', this.#finish)
    this.#input.pause()
    if (this.#pending.size > 0) await this.#answers()
  }

  async #inputEnded(): Promise<void> {
    if (this.#ending) return
    this.#ending = true
    await this.drain()
    await this.close()
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

  #take(line: Line): void {
    if (line.kind === 'too-long') return this.#complain(CODE.invalidRequest, 'Invalid Request: the message is too long')
    if (line.kind === 'not-utf8') return this.#complain(CODE.parse, 'Parse error: the message is not valid UTF-8')
    let body: unknown
    try {
      body = JSON.parse(line.text)
    } catch (error) {
      this.#complain(CODE.parse, 'Parse error: the message is not valid JSON')
      return this.onerror?.(toError(error))
    }
    let message: JSONRPCMessage
    try {
      message = parseJSONRPCMessage(body)
    } catch (error) {
      // An answer is never answered: two sides that both complained would never end.
      if (!isRecord(body) || !('result' in body || 'error' in body))
        this.#complain(CODE.invalidRequest, 'Invalid Request: this is not a JSON-RPC message', readableId(body))
      return this.onerror?.(toError(error))
    }
    this.#note(message)
    this.#onRead?.(message)
    this.#order.add(message)
  }

  /** JSON-RPC 2.0 §5.1: an error whose id is null where none can be read. */
  #complain(code: number, message: string, id: RequestId | null = null): void {
    if (!this.#complaints.charge('', this.#now())) return
    const complaint = { jsonrpc: '2.0', error: { code, message }, id }
    this.#output.write(`${JSON.stringify(complaint)}\n`)
  }

  #note(message: JSONRPCMessage): void {
    if (!('method' in message)) return
    if ('id' in message) {
      // A subscription is answered when it ends, so it is nothing to wait for.
      if (message.method !== 'subscriptions/listen') this.#pending.add(message.id)
    }
    if (message.method === 'notifications/cancelled' && isRecord(message.params)) {
      const id = message.params['requestId']
      if (typeof id !== 'string' && typeof id !== 'number') return
      this.#settle(id)
      this.#order.cancel(id)
    }
  }

  #settle(id: RequestId): void {
    this.#pending.delete(id)
    if (this.#pending.size === 0) this.#drained?.()
  }
}
