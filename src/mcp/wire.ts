// Every mount's way onto the protocol: the hot path first, the SDK for the rest, which is loaded when it is first needed.
import { isRecord } from '../lib/json.ts'
import { Lazy } from '../lib/lazy.ts'
import type { Catalog } from '../runtime/catalog.ts'
import type { StreamBudget } from '../lib/stream-budget.ts'
import type { CompiledServer } from '../runtime/compiled.ts'
import { readableId, refuse, notAllowed, unparsable, type Answer, type RequestId, type StreamAnswer } from './answer.ts'
import { NOT_ACCEPTABLE } from './accept.ts'
import { formsOf, type Exchange } from './exchange.ts'
import { HotPath } from './hot-path.ts'
import type { ModernEndpoint } from './modern-endpoint.ts'
import { PendingCalls } from './pending-calls.ts'
import { BAD_PLACE, placedCaller } from './place-headers.ts'
import {
  CODE,
  headerOf,
  isModernVersion,
  META,
  MODERN_VERSION,
  SAID_CHARS_MAX,
  SESSION_VERSIONS,
  type Eras,
} from './protocol.ts'
import type { SessionEndpoint } from './session-endpoint.ts'
import { Sessions, type SessionBounds } from './sessions.ts'
import type { SseEndpoint } from './sse-endpoint.ts'

/** Messages one batch may hold. The SDK has the same bound, but only inside a session. */
const BATCH_MAX = 100

export interface WireOptions {
  readonly catalog: Catalog
  readonly eras: Eras
  readonly sessions: SessionBounds
  /** Places for answers that stay open, shared with whoever else has such answers. */
  readonly streams: StreamBudget
  /** Whether anything this caller once showed could still let them in. */
  readonly isWelcome: (callerId: string) => boolean
  /** Told about failures that no answer can carry. */
  readonly onError: (error: unknown) => void
}

/** The protocol side of one server, whatever its paths. */
export interface Endpoint {
  readonly served: CompiledServer
  readonly hot: HotPath
  serve(exchange: Exchange): Promise<Answer | StreamAnswer>
  /** Opens a session of 2024-11-05. @param messages path for its messages as the client sees it */
  openSse(exchange: Exchange, messages: string): Promise<Answer | StreamAnswer>
  postSse(exchange: Exchange, sessionId: string | undefined): Promise<Answer>
}

export interface Wire {
  readonly sessions: Sessions
  readonly streams: StreamBudget
  /** One per server, however many aliases it has. @throws when the catalog has no such server */
  endpoint(serverId: string): Endpoint
  readonly calls: PendingCalls
  /** Ends every stream and session. Calls that still wait should have been cut before. */
  close(): Promise<void>
}

/** The methods of a mount, as the Allow header lists them (RFC 9110 §10.2.1). Only a session is read from and deleted. */
export const allowedMethods = (eras: Eras): string => (eras === '2026' ? 'POST, OPTIONS' : 'POST, GET, DELETE, OPTIONS')

/** Connects a catalog to the protocol. Starts nothing before the first session. */
export function createWire(options: WireOptions): Wire {
  const { catalog, isWelcome, onError } = options
  const { bus, clock } = catalog
  const sessions = new Sessions({ bounds: options.sessions, now: () => clock.now(), bus, isWelcome, onError })
  const calls = new PendingCalls()
  const endpoints = new Map<string, ServedEndpoint>()
  return {
    sessions,
    streams: options.streams,
    calls,
    endpoint(serverId) {
      const served = catalog.server(serverId)
      if (served === undefined) throw new Error(`no server ${serverId}`)
      const known = endpoints.get(served.id)
      if (known !== undefined) return known
      const made = new ServedEndpoint({ ...options, served, open: sessions, calls })
      endpoints.set(served.id, made)
      return made
    },
    async close() {
      await Promise.all([sessions.close(), ...[...endpoints.values()].map((endpoint) => endpoint.close())])
    },
  }
}

interface EndpointOptions extends WireOptions {
  readonly served: CompiledServer
  readonly open: Sessions
  readonly calls: PendingCalls
}

class ServedEndpoint implements Endpoint {
  readonly served: CompiledServer
  readonly hot: HotPath
  readonly #options: EndpointOptions
  readonly #modern: Lazy<ModernEndpoint>
  readonly #session: Lazy<SessionEndpoint>
  readonly #sse: Lazy<SseEndpoint>

  constructor(options: EndpointOptions) {
    const { catalog, served, open: sessions, eras, streams, calls, onError } = options
    this.#options = options
    this.served = served
    this.hot = new HotPath({ catalog, served, sessions, eras, calls })
    this.#modern = new Lazy(async () => {
      const { ModernEndpoint: Made } = await import('./modern-endpoint.ts')
      return new Made({ catalog, served, streams, calls, onError })
    })
    this.#session = new Lazy(async () => {
      const { SessionEndpoint: Made } = await import('./session-endpoint.ts')
      return new Made({ catalog, served, sessions, streams, calls, onError })
    })
    this.#sse = new Lazy(async () => {
      const { SseEndpoint: Made } = await import('./sse-endpoint.ts')
      return new Made({ catalog, served, sessions, streams, calls, onError })
    })
  }

  async serve(given: Exchange): Promise<Answer | StreamAnswer> {
    const exchange = placed(given)
    if (exchange === undefined) return badPlace(given)
    if (exchange.method !== 'POST') return longHeader(exchange) ?? this.#sessionOperation(exchange)
    if (exchange.body === undefined) return unparsable()
    const refused = batchRefusal(exchange.body) ?? lengthRefusal(exchange.body) ?? longHeader(exchange)
    if (refused !== undefined) return refused
    const forms = formsOf(exchange)
    if (!forms.json && !forms.events) return notAcceptable(exchange)
    const { eras } = this.#options
    if (eras !== '2026' && isInSession(exchange)) return (await this.#session.get()).post(exchange)
    if (eras === '2025')
      return claimsModern(exchange) ? notModern(exchange) : (await this.#session.get()).post(exchange)
    const modern = await this.#modern.get()
    if (eras === 'both' && modern.isSessionTraffic(exchange)) return (await this.#session.get()).post(exchange)
    return modern.serve(exchange)
  }

  async openSse(given: Exchange, messages: string): Promise<Answer | StreamAnswer> {
    const exchange = placed(given)
    return exchange === undefined ? badPlace(given) : (await this.#sse.get()).open(exchange, messages)
  }

  async postSse(exchange: Exchange, sessionId: string | undefined): Promise<Answer> {
    if (exchange.body === undefined) return unparsable()
    const refused = batchRefusal(exchange.body) ?? lengthRefusal(exchange.body) ?? longHeader(exchange)
    return refused ?? (await this.#sse.get()).post(exchange, sessionId)
  }

  async close(): Promise<void> {
    await (await this.#modern.peek())?.close()
  }

  async #sessionOperation(exchange: Exchange): Promise<Answer | StreamAnswer> {
    if (this.#options.eras === '2026') return notAllowed(allowedMethods(this.#options.eras))
    const endpoint = await this.#session.get()
    return exchange.method === 'GET' ? endpoint.get(exchange) : endpoint.delete(exchange)
  }
}

function placed(exchange: Exchange): Exchange | undefined {
  const caller = placedCaller(exchange.headers, exchange.caller)
  if (caller === undefined || caller === exchange.caller) return caller && exchange
  return { ...exchange, caller }
}

const badPlace = ({ body }: Exchange): Answer => refuse(400, CODE.invalidRequest, BAD_PLACE, { id: readableId(body) })

function hasEnvelope(body: unknown): boolean {
  const params = isRecord(body) ? body['params'] : undefined
  return isRecord(params) && isRecord(params['_meta']) && META.version in params['_meta']
}

/** The newer era has no session id, so whoever sends one and does not claim to be of it gets a session's answer, errors too. */
function isInSession({ headers, body }: Exchange): boolean {
  if (headerOf(headers['mcp-session-id']) === undefined || headers['mcp-protocol-version'] === MODERN_VERSION)
    return false
  return !(Array.isArray(body) ? body.some(hasEnvelope) : hasEnvelope(body))
}

function claimsModern({ headers, body }: Exchange): boolean {
  const version = headerOf(headers['mcp-protocol-version'])
  return (version !== undefined && isModernVersion(version)) || hasEnvelope(body)
}

/** Where the newer era is off, its discovery is an unknown method, so that a client falls back to `initialize`. */
function notModern({ body }: Exchange): Answer {
  const id = readableId(body)
  if (isRecord(body) && body['method'] === 'server/discover')
    return refuse(404, CODE.methodNotFound, 'Method not found', { id })
  const data = { supported: SESSION_VERSIONS }
  return refuse(400, CODE.versionUnsupported, 'Unsupported protocol version', { id, data })
}

/** Whether a body holds several messages that are going to be looked at. */
export const isBatch = (body: unknown): body is readonly unknown[] =>
  Array.isArray(body) && body.length > 1 && body.length <= BATCH_MAX

/** Counted before anybody looks at the messages, which are judged one by one. */
function batchRefusal(body: unknown): Answer | undefined {
  if (!Array.isArray(body)) return undefined
  // JSON-RPC 2.0 §6: an empty array is one invalid request.
  if (body.length === 0) return refuse(400, CODE.invalidRequest, 'Bad Request: empty JSON-RPC batch')
  if (body.length <= BATCH_MAX) return undefined
  return refuse(400, CODE.invalidRequest, `Invalid Request: Batch must not exceed ${BATCH_MAX} messages`)
}

const isLong = (text: unknown): boolean => typeof text === 'string' && text.length > SAID_CHARS_MAX

const tooLong = (what: string, id: RequestId | null = null): Answer =>
  refuse(400, CODE.invalidRequest, `Invalid Request: ${what} can have at most ${SAID_CHARS_MAX} characters`, { id })

/** Answers say an id again, and a method and a version that are wrong. */
function lengthRefusal(body: unknown): Answer | undefined {
  for (const message of Array.isArray(body) ? body : [body]) {
    const id = readableId(message)
    if (isLong(id)) return tooLong('An id')
    const { method, params } = isRecord(message) ? message : {}
    if (isLong(method)) return tooLong('A method', id)
    const { _meta: meta } = isRecord(params) ? params : {}
    if (isRecord(meta) && isLong(meta[META.version])) return tooLong('A version', id)
  }
  return undefined
}

/** The same for headers, which the SDK says up to three times. `Mcp-Name` is looked at together with the name that it repeats. */
function longHeader({ headers, body }: Exchange): Answer | undefined {
  const long = ['mcp-protocol-version', 'mcp-method'].find((name) => isLong(headers[name]))
  return long === undefined ? undefined : tooLong(`The header ${long}`, readableId(body))
}

const notAcceptable = ({ body }: Exchange): Answer =>
  refuse(406, CODE.refused, NOT_ACCEPTABLE, { id: readableId(body) })
