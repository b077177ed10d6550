// Between a Fastify request and an exchange of the protocol: what comes in, and how an answer or a stream goes out.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ServerResponse } from 'node:http'
import type { Answer, StreamAnswer } from '../../src/mcp/answer.ts'
import type { Exchange } from '../../src/mcp/exchange.ts'
import type { Segments } from '../../src/mcp/hot-encoder.ts'
import { onceUnwelcome } from '../doors/staying.ts'
import { keepAlive, KEEP_ALIVE_MS } from './keep-alive.ts'

/** The exchange of a request of this caller. Its signal aborts when the client leaves before the end of the answer. */
export function exchangeOf(request: FastifyRequest, reply: FastifyReply, caller = request.caller): Exchange {
  const gone = new AbortController()
  const leave = (): void => {
    if (!reply.raw.writableFinished) gone.abort()
  }
  if (reply.raw.destroyed) leave()
  else reply.raw.once('close', leave)
  return {
    method: request.method === 'GET' || request.method === 'DELETE' ? request.method : 'POST',
    headers: request.raw.headers,
    body: request.body,
    caller,
    signal: gone.signal,
  }
}

/** Sends a whole answer through Fastify, or takes the socket over for a stream. */
export async function sendAnswer(reply: FastifyReply, answer: Answer | StreamAnswer): Promise<void> {
  if ('events' in answer) return stream(reply, answer)
  void reply.code(answer.status).headers({ ...answer.headers })
  await (answer.body === null ? reply.send() : reply.send(answer.body))
}

/** Fastify would take one buffer only; joining them would copy a list for every client that asks for it. */
export function sendSegments(reply: FastifyReply, [head, tail]: Segments): void {
  reply.hijack()
  const { raw } = reply
  copyHeaders(reply)
  raw.writeHead(200, { 'content-length': head.length + tail.length })
  raw.write(head)
  raw.end(tail)
}

/** What every stream says, whoever made it: nobody on the way may keep it, hold it back or pack it. */
const STREAM_HEADERS = Object.freeze({
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
  'content-type': 'text/event-stream',
})

async function stream(reply: FastifyReply, answer: StreamAnswer): Promise<void> {
  reply.hijack()
  const { raw } = reply
  if (!raw.destroyed) {
    copyHeaders(reply)
    raw.writeHead(answer.status, { ...answer.headers, ...STREAM_HEADERS })
    raw.flushHeaders()
  }
  if (answer.listens === true) reply.server.shutdown.spare(raw)
  const unwatch = onceUnwelcome(reply.request, () => raw.destroy())
  const alive = keepAlive(raw, KEEP_ALIVE_MS)
  try {
    await pump(answer.events, reply, alive.wrote)
    raw.end()
  } catch (error) {
    // The status is out already: breaking the stream off is the only way left to say that it is not complete.
    reply.log.warn({ err: error, requestId: reply.request.id }, 'mcp: a stream broke')
    raw.destroy()
  } finally {
    alive.stop()
    unwatch()
    answer.ended?.()
  }
}

/** What the hooks have set so far: a hijacked reply does not write it itself. */
function copyHeaders(reply: FastifyReply): void {
  for (const [name, value] of Object.entries(reply.getHeaders()))
    if (value !== undefined) reply.raw.setHeader(name, value)
}

/** Copies events to the socket no faster than it takes them, until either side ends. */
async function pump(events: ReadableStream<Uint8Array>, { raw, log }: FastifyReply, wrote: () => void): Promise<void> {
  const reader = events.getReader()
  const room = new Room(raw, reader)
  const leave = onceClosed(raw)
    .then(() => reader.cancel())
    .catch((error: unknown) => log.debug({ err: error }, 'mcp: a stream had broken before its client left'))
  for (;;) {
    const { done, value } = await reader.read()
    if (done || raw.destroyed) break
    const isTaken = raw.write(value)
    wrote()
    if (!isTaken) await room.free()
  }
  if (raw.destroyed) await leave
}

/** Also for a client that left before there was anything to send: it will not leave again. */
function onceClosed(raw: ServerResponse): Promise<void> {
  return raw.destroyed ? Promise.resolve() : new Promise((resolve) => raw.once('close', resolve))
}

/** Waits for a socket that is full, over and over, with listeners that are added once: a stream may last for days. */
class Room {
  #waiting: PromiseWithResolvers<void> | undefined
  #broken: { readonly error: unknown } | undefined

  constructor(raw: ServerResponse, reader: ReadableStreamDefaultReader<Uint8Array>) {
    const go = (): void => this.#waiting?.resolve()
    raw.on('drain', go).on('close', go)
    reader.closed.catch((error: unknown) => {
      this.#broken = { error }
      this.#waiting?.reject(error)
    })
  }

  /** Resolves when the socket takes more, or is gone. @throws what the source breaks with meanwhile */
  async free(): Promise<void> {
    if (this.#broken !== undefined) throw this.#broken.error
    this.#waiting = Promise.withResolvers<void>()
    await this.#waiting.promise
  }
}
