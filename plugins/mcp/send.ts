// Between a Fastify request and an exchange of the protocol: what comes in, and how an answer or a stream goes out.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ServerResponse } from 'node:http'
import type { Answer, StreamAnswer } from '../../src/mcp/answer.ts'
import type { Exchange } from '../../src/mcp/exchange.ts'
import { onceUnwelcome } from '../doors/staying.ts'

/** The exchange of a request. Its signal aborts when the client leaves before the end of the answer. */
export function exchangeOf(request: FastifyRequest, reply: FastifyReply): Exchange {
  const gone = new AbortController()
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) gone.abort()
  })
  return {
    method: request.method === 'GET' || request.method === 'DELETE' ? request.method : 'POST',
    headers: request.raw.headers,
    body: request.body,
    caller: request.caller,
    signal: gone.signal,
  }
}

/** Sends a whole answer through Fastify, or takes the socket over for a stream. */
export async function sendAnswer(reply: FastifyReply, answer: Answer | StreamAnswer): Promise<void> {
  if ('events' in answer) return stream(reply, answer)
  void reply.code(answer.status).headers({ ...answer.headers })
  await (answer.body === null ? reply.send() : reply.send(answer.body))
}

/** Hooks that send are over for a hijacked reply, so what they have set so far is copied by hand. */
async function stream(reply: FastifyReply, answer: StreamAnswer): Promise<void> {
  reply.hijack()
  const { raw } = reply
  for (const [name, value] of Object.entries(reply.getHeaders())) if (value !== undefined) raw.setHeader(name, value)
  raw.writeHead(answer.status, { ...answer.headers, 'x-accel-buffering': 'no' })
  raw.flushHeaders()
  const unwatch = onceUnwelcome(reply.request, () => raw.destroy())
  try {
    await pump(answer.events, raw)
    raw.end()
  } catch (error) {
    // The status is out already: breaking the stream off is the only way left to say that it is not complete.
    reply.log.warn({ err: error }, 'mcp: a stream broke')
    raw.destroy()
  } finally {
    unwatch()
    answer.ended?.()
  }
}

/** Copies events to the socket no faster than it takes them, until either side ends. */
async function pump(events: ReadableStream<Uint8Array>, raw: ServerResponse): Promise<void> {
  const reader = events.getReader()
  const closed = new Promise<void>((resolve) => raw.once('close', resolve))
  const leave = closed.then(() => reader.cancel())
  // Cancelling events that broke rejects too, when nobody waits for it any more: their reader has been told already.
  void Promise.allSettled([leave])
  for (;;) {
    const { done, value } = await reader.read()
    if (done || raw.destroyed) break
    if (!raw.write(value)) await Promise.race([closed, new Promise<void>((resolve) => raw.once('drain', resolve))])
  }
  if (raw.destroyed) await leave
}
