// A link over Streamable HTTP or the older HTTP+SSE, by the SDK's client. Results are asked for with a schema that takes
// everything: the SDK's own methods for lists and calls drop fields that they do not know, and one bad tool fails a whole list.
import { Client, SSEClientTransport, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import type { ConnectOptions, StandardSchemaV1, VersionNegotiationOptions } from '@modelcontextprotocol/client'
import { isRecord, objectOf } from '../../lib/json.ts'
import {
  LinkFailure,
  type Era,
  type JsonObject,
  type Link,
  type LinkEnd,
  type OpenOptions,
  type PeerFacts,
  type RequestOptions,
} from '../../lib/link.ts'
import { VERSION } from '../../lib/version.ts'
import { META, SESSION_VERSIONS } from '../protocol.ts'
import { endOf, failureOf, inert, isBroken, isLostSession, wasRefused } from './failures.ts'
import { Listening } from './listening.ts'
import { transportOf, type Remote } from './transports.ts'

/** Takes whatever is a JSON object, as it is. */
const ANYTHING: StandardSchemaV1<unknown, JsonObject> = {
  '~standard': {
    version: 1,
    vendor: 'crow',
    validate: (value) => (isRecord(value) ? { value } : { issues: [{ message: 'the result is not an object' }] }),
  },
}

const NO_VALIDATOR = {
  getValidator(): never {
    throw new Error('no validator: results are passed on as they come')
  },
}

/** Stands for the id of a request that has none yet. */
const NEVER_SENT = ''
/** How long the end of a session is waited for that the server is told of. */
const FAREWELL_MS = 1_000
/** @throws LinkFailure, or the reason of `signal` */
export async function openRemoteLink(target: Remote, options: OpenOptions): Promise<Link> {
  const { era } = options
  try {
    return await connected(target, options, era)
  } catch (error) {
    options.signal?.throwIfAborted()
    // A server may have learnt the other kind since it was last asked.
    if (era === undefined || target.kind === 'sse' || isBroken(error)) throw asFailure(error)
    return await connected(target, options, undefined).catch((again: unknown) => {
      throw asFailure(again)
    })
  }
}

const asFailure = (error: unknown): LinkFailure =>
  error instanceof LinkFailure ? error : new LinkFailure(endOf(error))

async function connected(target: Remote, options: OpenOptions, era: Era | undefined): Promise<Link> {
  const link = new RemoteLink(target, options, era)
  try {
    await link.connect()
    return link
  } catch (error) {
    await link.close()
    throw error
  }
}

function negotiation(target: Remote, era: Era | undefined): VersionNegotiationOptions {
  if (target.kind === 'sse' || era === '2025') return { mode: 'legacy' }
  return { mode: era === '2026' ? { pin: '2026-07-28' } : 'auto' }
}

class RemoteLink implements Link {
  readonly closed: Promise<LinkEnd>
  readonly #options: OpenOptions
  readonly #client: Client
  readonly #transport: StreamableHTTPClientTransport | SSEClientTransport
  readonly #waiting = new Map<number | string, (end: LinkEnd) => void>()
  #listening: Listening | undefined
  #peer: PeerFacts | undefined
  #end: LinkEnd | undefined
  #ended: (end: LinkEnd) => void = () => undefined
  #closing: Promise<void> | undefined
  #sentId: number | string = NEVER_SENT

  constructor(target: Remote, options: OpenOptions, era: Era | undefined) {
    this.#options = options
    this.closed = new Promise((resolve) => {
      this.#ended = resolve
    })
    this.#client = new Client(
      { name: 'crow', version: VERSION },
      {
        capabilities: { ...options.capabilities },
        supportedProtocolVersions: [...SESSION_VERSIONS],
        versionNegotiation: negotiation(target, era),
        inputRequired: { autoFulfill: false },
        jsonSchemaValidator: NO_VALIDATOR,
      },
    )
    this.#transport = transportOf(target, {
      sent: (id) => {
        this.#sentId = id
      },
      ended: (id, resumable) => this.#streamEnded(id, resumable),
    })
    this.#client.fallbackNotificationHandler = async ({ method, params }) =>
      options.handlers.onNotification(method, objectOf(params))
    this.#client.fallbackRequestHandler = async ({ method, params }, ctx) => ({
      ...(await options.handlers.onRequest(method, objectOf(params), ctx.mcpReq.signal)),
    })
    this.#client.onerror = (error) => this.#onError(error)
    this.#client.onclose = () => this.#finish({ reason: 'The server closed the connection.', wanted: false })
  }

  async connect(): Promise<void> {
    const { signal, startTimeoutMs, note } = this.#options
    const options: ConnectOptions = { timeout: startTimeoutMs, ...(signal === undefined ? {} : { signal }) }
    await withDeadline(this.#client.connect(this.#transport, options), startTimeoutMs, signal)
    const isModern = this.#client.getProtocolEra() === 'modern'
    this.#peer = factsOf(this.#client, isModern ? '2026' : '2025')
    if (!isModern) return
    this.#listening = new Listening(this.#client, startTimeoutMs, (message, detail) => note('debug', message, detail))
    void this.#listening.start()
  }

  get peer(): PeerFacts {
    if (this.#peer === undefined) throw new Error('the link is not connected yet, which is a bug')
    return this.#peer
  }

  get pending(): number {
    return this.#waiting.size
  }

  async request(method: string, params: JsonObject, options: RequestOptions): Promise<JsonObject> {
    if (this.#end !== undefined) throw new LinkFailure({ ...this.#end, unheard: true })
    options.signal?.throwIfAborted()
    if (this.#listening !== undefined && typeof params['uri'] === 'string') {
      // Gone in 2026-07-28, where one subscription says all that is watched.
      if (method === 'resources/subscribe') return await this.#listening.watch(params['uri']).then(() => ({}))
      if (method === 'resources/unsubscribe') return await this.#listening.unwatch(params['uri']).then(() => ({}))
    }
    return await this.#ask(method, params, options)
  }

  async #ask(method: string, params: JsonObject, options: RequestOptions): Promise<JsonObject> {
    const { signal, timeoutMs, totalMs, onProgress, mirrored } = options
    const given = new AbortController()
    const stop = (): void => given.abort(signal?.reason)
    signal?.addEventListener('abort', stop, { once: true })
    let id: number | string = NEVER_SENT
    try {
      const answer = this.#client.request({ method, params: this.#withCapabilities(params, options) }, ANYTHING, {
        signal: given.signal,
        timeout: timeoutMs,
        resetTimeoutOnProgress: true,
        allowInputRequired: true,
        ...(totalMs === undefined ? {} : { maxTotalTimeout: totalMs }),
        ...(onProgress === undefined ? {} : { onprogress: (progress) => onProgress({ ...progress }) }),
        ...(mirrored === undefined ? {} : { headers: mirrored }),
      })
      // The SDK has handed the request to the transport by now.
      id = this.#sentId
      return await Promise.race([answer, this.#cut(id, given)])
    } catch (error) {
      signal?.throwIfAborted()
      throw this.#failure(error, method, timeoutMs)
    } finally {
      signal?.removeEventListener('abort', stop)
      this.#waiting.delete(id)
    }
  }

  /** Rejects when the answer to a request cannot come any more, and takes the request back. */
  #cut(id: number | string, given: AbortController): Promise<never> {
    return new Promise((_resolve, reject) => {
      this.#waiting.set(id, (end) => {
        reject(new LinkFailure(end))
        given.abort(new LinkFailure(end))
      })
    })
  }

  #withCapabilities(params: JsonObject, { capabilities }: RequestOptions): Record<string, unknown> {
    if (this.#listening === undefined || capabilities === undefined) return { ...params }
    return { ...params, _meta: { ...objectOf(params['_meta']), [META.clientCapabilities]: capabilities } }
  }

  #failure(error: unknown, method: string, timeoutMs: number): Error {
    if (this.#listening === undefined && isLostSession(error)) {
      const end = { reason: 'The server does not know the session any more.', wanted: false, unheard: true }
      this.#finish(end)
      return new LinkFailure(end)
    }
    if (isBroken(error) && !(error instanceof LinkFailure)) this.#finish(endOf(error))
    return failureOf(error, method, timeoutMs)
  }

  notify(method: string, params?: JsonObject): void {
    this.#client
      .notification({ method, ...(params === undefined ? {} : { params: { ...params } }) })
      .catch((error: unknown) => this.#options.note('debug', 'a notification was not delivered', { err: error }))
  }

  close(): Promise<void> {
    this.#finish({ reason: 'The connection was closed.', wanted: true })
    return (this.#closing ??= this.#closeAll())
  }

  async #closeAll(): Promise<void> {
    const farewell = async (): Promise<void> => {
      await this.#listening?.close()
      if (this.#transport instanceof StreamableHTTPClientTransport) await this.#transport.terminateSession()
    }
    // The server may be gone, which is as good as having been told.
    await withDeadline(farewell(), FAREWELL_MS).catch((error: unknown) => {
      this.#options.note('debug', 'a server was not told of the end of a session', { err: error })
    })
    await this.#client.close()
  }

  #finish(end: LinkEnd): void {
    if (this.#end !== undefined) return
    this.#end = end
    for (const reject of this.#waiting.values()) reject(end)
    this.#ended(end)
    if (!end.wanted) void this.close()
  }

  #streamEnded(id: number | string, resumable: boolean): void {
    if (resumable) return
    // The last event may still be on its way through the SDK.
    setImmediate(() => {
      this.#waiting.get(id)?.({ reason: 'The server ended its answer before it was complete.', wanted: false })
    })
  }

  #onError(error: Error): void {
    this.#options.note('debug', 'a connection is unwell', { reason: inert(error.message) })
    if (this.#peer === undefined) return
    if (this.#transport instanceof SSEClientTransport && isBroken(error)) this.#finish(endOf(error))
    else if (this.#listening === undefined && isLostSession(error) && !/POSTing/.test(error.message))
      this.#finish({ reason: 'The server does not know the session any more.', wanted: false })
    else if (wasRefused(error) && this.#waiting.size > 0) this.#finish(endOf(error))
  }
}

function factsOf(client: Client, era: Era): PeerFacts {
  const { name, version: peerVersion } = client.getServerVersion() ?? { name: 'unknown', version: '' }
  return {
    era,
    protocolVersion: client.getNegotiatedProtocolVersion() ?? '',
    name,
    version: peerVersion,
    capabilities: objectOf(client.getServerCapabilities()),
    instructions: client.getInstructions(),
  }
}

/** @throws LinkFailure when it takes too long, or the reason of `signal` */
async function withDeadline<T>(work: Promise<T>, ms: number, signal?: AbortSignal): Promise<T> {
  const late = AbortSignal.timeout(ms)
  const both = signal === undefined ? late : AbortSignal.any([late, signal])
  return await new Promise<T>((resolve, reject) => {
    const stop = (): void =>
      reject(
        signal?.aborted === true
          ? signal.reason
          : new LinkFailure({ reason: `The server did not answer within ${ms} ms.`, wanted: false }),
      )
    both.addEventListener('abort', stop, { once: true })
    work.then(resolve, reject).finally(() => both.removeEventListener('abort', stop))
  })
}
