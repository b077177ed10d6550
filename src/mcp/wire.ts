// Every mount's way onto the protocol: the hot path first, the SDK for the rest, which is loaded when it is first needed.
import { isRecord } from '../lib/json.ts'
import { Lazy } from '../lib/lazy.ts'
import type { Catalog } from '../runtime/catalog.ts'
import type { CompiledServer } from '../runtime/compiled.ts'
import { readableId, refuse, notAllowed, unparsable, type Answer, type RequestId, type StreamAnswer } from './answer.ts'
import { NOT_ACCEPTABLE } from './accept.ts'
import { formsOf, type Exchange } from './exchange.ts'
import { untilIdle } from './grace.ts'
import { HotPath } from './hot-path.ts'
import type { ModernEndpoint } from './modern-endpoint.ts'
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
import { StreamBudget } from './stream-budget.ts'

/** Messages one batch may hold. The SDK has the same bound, but only inside a session. */
const BATCH_MAX = 100

export interface WireOptions {
  readonly catalog: Catalog
  readonly eras: Eras
  readonly sessions: SessionBounds
  /** Streams that clients hold open to listen, of both eras and all servers together. */
  readonly streamsMax: number
  /** Told about failures that no answer can carry. */
  readonly onError: (error: unknown) => void
}

/** The protocol side of one server, whatever its paths. */
export interface Endpoint {
  readonly hot: HotPath
  serve(exchange: Exchange): Promise<Answer | StreamAnswer>
}

export interface Wire {
  readonly sessions: Sessions
  readonly streams: StreamBudget
  /** One per server, however many aliases it has. @throws when the catalog has no such server */
  endpoint(serverId: string): Endpoint
  /** Lets calls in flight finish for up to `graceMs`, then ends every stream and session. */
  close(graceMs: number): Promise<void>
}

/** The methods of a mount, as the Allow header lists them (RFC 9110 §10.2.1). Only a session is read from and deleted. */
export const allowedMethods = (eras: Eras): string => (eras === '2026' ? 'POST, OPTIONS' : 'POST, GET, DELETE, OPTIONS')

/** Connects a catalog to the protocol. Starts nothing before the first session. */
export function createWire(options: WireOptions): Wire {
  const { catalog, onError } = options
  const sessions = new Sessions({ bounds: options.sessions, now: () => catalog.clock.now(), bus: catalog.bus, onError })
  const streams = new StreamBudget(options.streamsMax)
  const endpoints = new Map<string, ServedEndpoint>()
  return {
    sessions,
    streams,
    endpoint(serverId) {
      const served = catalog.server(serverId)
      if (served === undefined) throw new Error(`no server ${serverId}`)
      const known = endpoints.get(served.id)
      if (known !== undefined) return known
      const made = new ServedEndpoint({ ...options, served, open: sessions, streams })
      endpoints.set(served.id, made)
      return made
    },
    async close(graceMs) {
      await Promise.all([
        sessions.close(graceMs),
        ...[...endpoints.values()].map((endpoint) => endpoint.close(graceMs)),
      ])
    },
  }
}

interface EndpointOptions extends WireOptions {
  readonly served: CompiledServer
  readonly open: Sessions
  readonly streams: StreamBudget
}

class ServedEndpoint implements Endpoint {
  readonly hot: HotPath
  readonly #options: EndpointOptions
  readonly #modern: Lazy<ModernEndpoint>
  readonly #session: Lazy<SessionEndpoint>

  constructor(options: EndpointOptions) {
    const { catalog, served, open, eras, streams, onError } = options
    this.#options = options
    this.hot = new HotPath({ catalog, served, sessions: open, eras })
    this.#modern = new Lazy(async () => {
      const { ModernEndpoint: Made } = await import('./modern-endpoint.ts')
      return new Made({ catalog, served, streams, onError })
    })
    this.#session = new Lazy(async () => {
      const { SessionEndpoint: Made } = await import('./session-endpoint.ts')
      return new Made({ catalog, served, sessions: open, streams, onError })
    })
  }

  async serve(exchange: Exchange): Promise<Answer | StreamAnswer> {
    if (exchange.method !== 'POST') return this.#sessionOperation(exchange)
    if (exchange.body === undefined) return unparsable()
    const refused = batchRefusal(exchange.body) ?? lengthRefusal(exchange.body)
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

  async close(graceMs: number): Promise<void> {
    await untilIdle(() => this.hot.waiting > 0, graceMs)
    await (await this.#modern.peek())?.close(graceMs)
  }

  async #sessionOperation(exchange: Exchange): Promise<Answer | StreamAnswer> {
    if (this.#options.eras === '2026') return notAllowed(allowedMethods(this.#options.eras))
    const endpoint = await this.#session.get()
    return exchange.method === 'GET' ? endpoint.get(exchange) : endpoint.delete(exchange)
  }
}

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

const notAcceptable = ({ body }: Exchange): Answer =>
  refuse(406, CODE.refused, NOT_ACCEPTABLE, { id: readableId(body) })
