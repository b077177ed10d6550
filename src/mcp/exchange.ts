// One HTTP exchange as the protocol sees it, and its way through the SDK's web-standard transports and back.
import type { IncomingHttpHeaders } from 'node:http'
import { isRecord } from '../lib/json.ts'
import type { Caller } from '../runtime/context.ts'
import type { Answer, StreamAnswer } from './answer.ts'
import { acceptable, type Acceptable } from './accept.ts'
import type { Begun } from './begun.ts'
import { headerOf } from './protocol.ts'

export interface Exchange {
  readonly method: 'POST' | 'GET' | 'DELETE'
  readonly headers: IncomingHttpHeaders
  /** The parsed body; undefined when there was none. */
  readonly body: unknown
  readonly caller: Caller
  /** Aborts when the client goes away before it has the whole answer. */
  readonly signal: AbortSignal
  /** Set where the request has run already and only its answer is missing. */
  readonly begun?: Begun
}

/** Which forms of answer this client takes. */
export const formsOf = (exchange: Exchange): Acceptable => acceptable(headerOf(exchange.headers.accept))

// Credentials, cookies and forwarding headers are the doors' business: nothing else of a request reaches the SDK.
const PASSED = /^(content-type|mcp-.+|last-event-id)$/

/** The web-standard request for the SDK. It carries no body: the parsed one is handed over beside it. */
export function webRequest(exchange: Exchange): Request {
  const headers = new Headers({ accept: 'application/json, text/event-stream' })
  for (const [name, value] of Object.entries(exchange.headers)) {
    const single = headerOf(value)
    if (single !== undefined && PASSED.test(name)) headers.set(name, single)
  }
  return new Request('http://localhost/mcp', { method: exchange.method, headers, signal: exchange.signal })
}

// What the hop below decides for itself (RFC 9110 §7.6.1).
const HOP = new Set(['connection', 'content-length', 'transfer-encoding', 'keep-alive'])

function headersOf(response: Response): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const [name, value] of response.headers) if (!HOP.has(name)) headers[name] = value
  return headers
}

const isEventStream = (response: Response): boolean =>
  response.headers.get('content-type')?.startsWith('text/event-stream') === true

/**
 * The SDK's response in a form that the client takes: a stream becomes one JSON body for a client without streams, a JSON
 * body becomes one event for a client with nothing else.
 */
export async function answerOf(response: Response, forms: Acceptable): Promise<Answer | StreamAnswer> {
  const headers = headersOf(response)
  if (isEventStream(response) && response.body !== null) {
    if (forms.events) return { status: response.status, headers, events: response.body }
    return collapsed(response, headers)
  }
  const text = await response.text()
  if (text === '') return { status: response.status, headers, body: null }
  if (!forms.json && response.status === 200) {
    const body = `event: message\ndata: ${text}\n\n`
    return { status: 200, headers: { ...headers, 'content-type': 'text/event-stream' }, body }
  }
  return { status: response.status, headers, body: text }
}

/** Waits for the end of a stream and keeps the answers in it; messages on the way have nowhere to go. */
async function collapsed(response: Response, headers: Record<string, string>): Promise<Answer> {
  const answers: unknown[] = []
  for (const frame of (await response.text()).split('\n\n')) {
    const data = frame.split('\n').find((line) => line.startsWith('data: {'))
    if (data === undefined) continue
    const message: unknown = JSON.parse(data.slice('data: '.length))
    if (isRecord(message) && ('result' in message || 'error' in message)) answers.push(message)
  }
  const { 'cache-control': _cache, 'x-accel-buffering': _buffering, ...rest } = headers
  const kept = { ...rest, 'content-type': 'application/json' }
  if (answers.length === 0) return { status: 202, headers: {}, body: null }
  return { status: response.status, headers: kept, body: JSON.stringify(answers.length === 1 ? answers[0] : answers) }
}
