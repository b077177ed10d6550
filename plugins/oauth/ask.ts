// Puts one request to the authorization server and takes its answer, without a socket between: what it sees of the request,
// and what of its answer goes out, is decided here.
import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Provider } from 'oidc-provider'

export interface Question {
  readonly method: string
  /** Path and query below the base path. */
  readonly url: string
  readonly headers: IncomingHttpHeaders
  /** A form or JSON; absent for none. */
  readonly body?: string | undefined
}

export interface Answer {
  readonly status: number
  readonly headers: OutgoingHttpHeaders
  readonly body: string
}

/** Nothing else of a request concerns it; CORS is ours. */
const PASSED = ['cookie', 'authorization', 'content-type'] as const
/** Set anew, or decided by us. */
const WITHHELD = /^(content-length|transfer-encoding|connection|vary|access-control-.*)$/

const askers = new WeakMap<IncomingMessage, FastifyRequest>()

/** The request on whose behalf the authorization server is asked. */
export function askerOf(message: IncomingMessage): FastifyRequest | undefined {
  return askers.get(message)
}

/** Both halves of an exchange that nobody sends. */
export function exchangeFor(
  { issuer }: Pick<Provider, 'issuer'>,
  request: FastifyRequest,
  question: Question,
): { message: IncomingMessage; response: ServerResponse; answer: () => Answer } {
  // Importing its classes by name would load the whole of fetch with every start.
  const http = process.getBuiltinModule('node:http')
  const message = new http.IncomingMessage(new Socket())
  const base = new URL(issuer)
  message.method = question.method
  message.url = question.url
  // A path in the issuer is not part of our routes; this is where links and cookies take it from.
  Object.assign(message, { originalUrl: base.pathname.replace(/\/+$/, '') + question.url })
  for (const name of PASSED) {
    const value = question.headers[name]
    if (value !== undefined) message.headers[name] = value
  }
  // Whatever Host and forwarding headers came, links begin with the issuer.
  message.headers.host = base.host
  message.headers['x-forwarded-host'] = base.host
  message.headers['x-forwarded-proto'] = base.protocol.slice(0, -1)
  message.headers.accept = question.headers.accept
  if (question.body !== undefined) {
    message.headers['content-length'] = String(Buffer.byteLength(question.body))
    message.push(question.body)
  }
  message.push(null)
  message.complete = true
  askers.set(message, request)
  const response = new http.ServerResponse(message)
  return { message, response, answer: recorded(response) }
}

function recorded(response: ServerResponse): () => Answer {
  const chunks: Buffer[] = []
  const take = (chunk: unknown): void => {
    if (typeof chunk === 'string' || chunk instanceof Uint8Array) chunks.push(Buffer.from(chunk))
  }
  response.write = (chunk: unknown) => {
    take(chunk)
    return true
  }
  response.end = (chunk?: unknown) => {
    take(chunk)
    return response
  }
  return () => ({
    status: response.statusCode,
    headers: response.getHeaders(),
    body: Buffer.concat(chunks).toString('utf8'),
  })
}

const handlers = new WeakMap<Provider, ReturnType<Provider['callback']>>()

function handlerOf(provider: Provider): ReturnType<Provider['callback']> {
  let handler = handlers.get(provider)
  if (handler === undefined) {
    handler = provider.callback()
    handlers.set(provider, handler)
  }
  return handler
}

export async function ask(provider: Provider, request: FastifyRequest, question: Question): Promise<Answer> {
  const { message, response, answer } = exchangeFor(provider, request, question)
  await handlerOf(provider)(message, response)
  return answer()
}

/** Status and headers of what the authorization server answered. */
export function prepare(reply: FastifyReply, { status, headers }: Answer): FastifyReply {
  for (const [name, value] of Object.entries(headers))
    if (value !== undefined && !WITHHELD.test(name.toLowerCase())) reply.header(name, value)
  if (status === 503) reply.header('retry-after', '1')
  return reply.code(status)
}

/** Sends what the authorization server answered; a failure of which it said nothing readable gets words of ours. */
export function send(reply: FastifyReply, answer: Answer): FastifyReply {
  const isWordless = answer.status >= 500 && !/json/.test(String(answer.headers['content-type']))
  prepare(reply, answer)
  return isWordless ? reply.type('application/json').send('{"error":"server_error"}') : reply.send(answer.body)
}
