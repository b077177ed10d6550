// Every mount's way onto the protocol: the hot path first, the SDK for the rest, which is loaded when it is first needed.
import type { Catalog } from '../runtime/catalog.ts'
import type { StreamBudget } from '../lib/stream-budget.ts'
import type { CompiledServer } from '../runtime/compiled.ts'
import { readableId, refuse, notAllowed, unparsable, type Answer, type StreamAnswer } from './answer.ts'
import { NOT_ACCEPTABLE } from './accept.ts'
import { formsOf, type Exchange } from './exchange.ts'
import { HotPath } from './hot-path.ts'
import type { ModernEndpoint } from './modern-endpoint.ts'
import { PendingCalls } from './pending-calls.ts'
import {
  CODE,
  headerOf,
  ID_CHARS_MAX,
  isModernVersion,
  isRecord,
  META,
  MODERN_VERSION,
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
  const { catalog, onError } = options
  const sessions = new Sessions({ bounds: options.sessions, now: () => catalog.clock.now(), bus: catalog.bus, onError })
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
  #modern: Promise<ModernEndpoint> | undefined
  #session: Promise<SessionEndpoint> | undefined
  #sse: Promise<SseEndpoint> | undefined

  constructor(options: EndpointOptions) {
    const { catalog, served, open, eras, calls } = options
    this.#options = options
    this.served = served
    this.hot = new HotPath({ catalog, served, sessions: open, eras, calls })
  }

  async serve(exchange: Exchange): Promise<Answer | StreamAnswer> {
    if (exchange.method !== 'POST') return this.#sessionOperation(exchange)
    if (exchange.body === undefined) return unparsable()
    const refused = batchRefusal(exchange.body) ?? idRefusal(exchange.body)
    if (refused !== undefined) return refused
    const forms = formsOf(exchange)
    if (!forms.json && !forms.events) return notAcceptable(exchange)
    const { eras } = this.#options
    if (eras !== '2026' && isInSession(exchange)) return (await this.#sessionEndpoint()).post(exchange)
    if (eras === '2025')
      return claimsModern(exchange) ? notModern(exchange) : (await this.#sessionEndpoint()).post(exchange)
    const modern = await this.#modernEndpoint()
    if (eras === 'both' && modern.isSessionTraffic(exchange)) return (await this.#sessionEndpoint()).post(exchange)
    return modern.serve(exchange)
  }

  async openSse(exchange: Exchange, messages: string): Promise<Answer | StreamAnswer> {
    return (await this.#sseEndpoint()).open(exchange, messages)
  }

  async postSse(exchange: Exchange, sessionId: string | undefined): Promise<Answer> {
    if (exchange.body === undefined) return unparsable()
    const refused = batchRefusal(exchange.body) ?? idRefusal(exchange.body)
    return refused ?? (await this.#sseEndpoint()).post(exchange, sessionId)
  }

  async close(): Promise<void> {
    if (this.#modern !== undefined) await (await this.#modern).close()
  }

  async #sessionOperation(exchange: Exchange): Promise<Answer | StreamAnswer> {
    if (this.#options.eras === '2026') return notAllowed(allowedMethods(this.#options.eras))
    const endpoint = await this.#sessionEndpoint()
    return exchange.method === 'GET' ? endpoint.get(exchange) : endpoint.delete(exchange)
  }

  #modernEndpoint(): Promise<ModernEndpoint> {
    const { catalog, served, streams, calls, onError } = this.#options
    this.#modern ??= import('./modern-endpoint.ts').then(
      ({ ModernEndpoint: Made }) => new Made({ catalog, served, streams, calls, onError }),
    )
    return this.#modern
  }

  #sessionEndpoint(): Promise<SessionEndpoint> {
    const { catalog, served, open: sessions, streams, calls, onError } = this.#options
    this.#session ??= import('./session-endpoint.ts').then(
      ({ SessionEndpoint: Made }) => new Made({ catalog, served, sessions, streams, calls, onError }),
    )
    return this.#session
  }

  #sseEndpoint(): Promise<SseEndpoint> {
    const { catalog, served, open: sessions, streams, calls, onError } = this.#options
    this.#sse ??= import('./sse-endpoint.ts').then(
      ({ SseEndpoint: Made }) => new Made({ catalog, served, sessions, streams, calls, onError }),
    )
    return this.#sse
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

function idRefusal(body: unknown): Answer | undefined {
  for (const message of Array.isArray(body) ? body : [body]) {
    const id = readableId(message)
    if (typeof id === 'string' && id.length > ID_CHARS_MAX)
      return refuse(400, CODE.invalidRequest, `Invalid Request: An id can have at most ${ID_CHARS_MAX} characters`)
  }
  return undefined
}

const notAcceptable = ({ body }: Exchange): Answer =>
  refuse(406, CODE.refused, NOT_ACCEPTABLE, { id: readableId(body) })
