// The transport of 2024-11-05 (HTTP+SSE): one stream that says where to post, then carries every message to the client.
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server'

/** What may wait for a client that does not read. One that is further behind is cut off: its memory is ours. */
const WAITING_BYTES_MAX = 4 << 20

const encoder = new TextEncoder()

export class SseTransport implements Transport {
  onclose?: () => void
  onerror?: (error: Error) => void
  onmessage?: (message: JSONRPCMessage) => void
  readonly sessionId: string
  readonly events: ReadableStream<Uint8Array>
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined

  /** @param messages path that the client posts to, query included, as it sees it */
  constructor(sessionId: string, messages: string) {
    this.sessionId = sessionId
    this.events = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller
          controller.enqueue(encoder.encode(`event: endpoint\ndata: ${messages}\n\n`))
        },
        cancel: () => this.#over(),
      },
      new ByteLengthQueuingStrategy({ highWaterMark: WAITING_BYTES_MAX }),
    )
  }

  start(): Promise<void> {
    return Promise.resolve()
  }

  /** @throws Error when the stream is over, or its client has stopped reading */
  send(message: JSONRPCMessage): Promise<void> {
    const controller = this.#controller
    if (controller === undefined) return Promise.reject(new Error('the stream is over'))
    if ((controller.desiredSize ?? 0) <= 0) {
      const error = new Error('the client does not read its stream')
      controller.error(error)
      this.#over()
      return Promise.reject(error)
    }
    controller.enqueue(encoder.encode(`event: message\ndata: ${JSON.stringify(message)}\n\n`))
    return Promise.resolve()
  }

  /** Ends the stream after what it holds. */
  close(): Promise<void> {
    this.#controller?.close()
    this.#over()
    return Promise.resolve()
  }

  #over(): void {
    if (this.#controller === undefined) return
    this.#controller = undefined
    this.onclose?.()
  }
}
