// Streamable HTTP of the 2025 era at one mount, for everything that the hot path leaves: POST, GET and DELETE of a session.
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server'
import type { ServerContext } from '@modelcontextprotocol/server'
import { isRecord } from '../lib/json.ts'
import type { Catalog } from '../runtime/catalog.ts'
import type { StreamBudget } from '../lib/stream-budget.ts'
import type { CompiledServer } from '../runtime/compiled.ts'
import type { Caller, Clock } from '../runtime/context.ts'
import { refuse, readableId, type Answer, type StreamAnswer } from './answer.ts'
import type { Begun } from './begun.ts'
import { SessionEvents } from './event-store.ts'
import { answerOf, formsOf, webRequest, type Exchange } from './exchange.ts'
import { CODE, headerOf } from './protocol.ts'
import type { PendingCalls } from './pending-calls.ts'
import { buildServer } from './sdk-server.ts'
import { endingError } from './seat.ts'
import { Session } from './session.ts'
import { tooManySessions, versionRefusal } from './session-answers.ts'
import type { Sessions } from './sessions.ts'
import { admitCall, admitListener } from './stream-admission.ts'

export interface SessionEndpointOptions {
  readonly catalog: Catalog
  readonly served: CompiledServer
  readonly sessions: Sessions
  readonly streams: StreamBudget
  readonly calls: PendingCalls
  readonly onError: (error: unknown) => void
}

/** What a client is told to wait before it comes back for a closed stream, in milliseconds. */
const RETRY_MS = 1_000

export class SessionEndpoint {
  readonly #options: SessionEndpointOptions
  readonly #transports = new WeakMap<Session, WebStandardStreamableHTTPServerTransport>()
  /** Requests whose client takes no event stream: nothing can be asked in their answer. */
  readonly #deaf = new WeakSet<Request>()
  readonly #begun = new WeakMap<Request, Begun>()

  constructor(options: SessionEndpointOptions) {
    this.#options = options
  }

  async post(exchange: Exchange): Promise<Answer | StreamAnswer> {
    const session = isInitialize(exchange.body) ? this.#openOrKnown(exchange) : this.#find(exchange)
    if (!(session instanceof Session)) return session
    const refusal = isInitialize(exchange.body) ? undefined : versionRefusal(exchange)
    if (refusal !== undefined) return refusal
    cancelHot(session, exchange.body)
    const answer = await admitCall(this.#options.streams, exchange, (admitted) => this.#forward(session, admitted))
    if (this.#transportOf(session).sessionId === undefined) await this.#options.sessions.end(session)
    return answer
  }

  async get(exchange: Exchange): Promise<Answer | StreamAnswer> {
    const session = this.#find(exchange)
    if (!(session instanceof Session)) return session
    const refusal = versionRefusal(exchange)
    if (refusal !== undefined) return refusal
    if (!formsOf(exchange).events) return refuse(406, CODE.refused, 'Not Acceptable: send Accept: text/event-stream')
    return admitListener(this.#options.streams, exchange, () => this.#forward(session, exchange))
  }

  async delete(exchange: Exchange): Promise<Answer> {
    const session = this.#find(exchange)
    if (!(session instanceof Session)) return session
    const refusal = versionRefusal(exchange)
    if (refusal !== undefined) return refusal
    await this.#options.sessions.end(session)
    return { status: 200, headers: {}, body: null }
  }

  async #forward(session: Session, exchange: Exchange): Promise<Answer | StreamAnswer> {
    const forms = formsOf(exchange)
    const request = webRequest(exchange)
    if (!forms.events) this.#deaf.add(request)
    if (exchange.begun !== undefined) this.#begun.set(request, exchange.begun)
    const response = await this.#transportOf(session).handleRequest(request, { parsedBody: exchange.body })
    const answer = await answerOf(response, forms)
    if (!('events' in answer)) return answer
    session.streams++
    const ended = (): void => {
      session.streams--
      session.usedAt = this.#options.catalog.clock.now()
    }
    return { ...answer, ended }
  }

  #find(exchange: Exchange): Session | Answer {
    const id = headerOf(exchange.headers['mcp-session-id'])
    if (id === undefined) return missingSession(exchange)
    const session = this.#options.sessions.find(id, this.#options.served.id, exchange.caller.id, 'streamable')
    return session ?? unknownSession(exchange)
  }

  /** A second `initialize` inside a live session is the transport's to refuse; a stale session id is simply replaced. */
  #openOrKnown(exchange: Exchange): Session | Answer {
    const id = headerOf(exchange.headers['mcp-session-id'])
    const { sessions, served } = this.#options
    const known = id === undefined ? undefined : sessions.find(id, served.id, exchange.caller.id, 'streamable')
    return known ?? this.#open(exchange)
  }

  #open(exchange: Exchange): Session | Answer {
    const { sessions, served } = this.#options
    const session = sessions.open(served, exchange.caller, 'streamable')
    if (session === undefined) return tooManySessions(exchange.body)
    session.place = exchange.caller.place
    this.#join(session, exchange.caller)
    return session
  }

  /** @throws when the session has not been joined to the SDK yet, which is a bug */
  #transportOf(session: Session): WebStandardStreamableHTTPServerTransport {
    const transport = this.#transports.get(session)
    if (transport === undefined) throw new Error(`session ${session.id} has no transport`)
    return transport
  }

  #join(session: Session, caller: Caller): void {
    const { catalog, served, calls, onError } = this.#options
    const events = new SessionEvents(() => catalog.clock.now())
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => session.id,
      eventStore: events,
      retryInterval: RETRY_MS,
    })
    const server = buildServer({
      catalog,
      served,
      caller,
      session: session.mark,
      subscriptions: session.subscriptions,
      busy: (ctx, work) =>
        busy({ session, transport, ctx, clock: catalog.clock }, () => calls.run(work, ctx.mcpReq.signal, endingError)),
      begun: ({ http }) => (http?.req === undefined ? undefined : this.#begun.get(http.req)),
      reachable: (ctx) => ctx.http?.req === undefined || !this.#deaf.has(ctx.http.req),
      onError,
    })
    session.peer = { server, prune: () => events.prune() }
    this.#transports.set(session, transport)
    // `connect` only attaches callbacks here; the transport has nothing to start.
    server.connect(transport).catch(onError)
  }
}

interface Place {
  readonly session: Session
  readonly transport: WebStandardStreamableHTTPServerTransport
  readonly ctx: ServerContext
  readonly clock: Clock
}

/** Counts a call as long as it runs, and ends the stream of one that was cancelled, since no answer will. */
async function busy<T>({ session, transport, ctx, clock }: Place, work: () => Promise<T>): Promise<T> {
  session.calls++
  session.calledAt = session.usedAt
  try {
    return await work()
  } finally {
    session.callEnded(clock.now())
    if (ctx.mcpReq.signal.aborted) await retire(transport, ctx.mcpReq.id)
  }
}

/** With its stream closed first, the answer is kept for replay only, and the transport forgets the request. */
async function retire(transport: Place['transport'], id: string | number): Promise<void> {
  transport.closeSSEStream(id)
  await transport.send({ jsonrpc: '2.0', id, error: { code: CODE.refused, message: 'Cancelled' } })
}

function isInitialize(body: unknown): boolean {
  const only: unknown = Array.isArray(body) && body.length === 1 ? body[0] : body
  return isRecord(only) && only['method'] === 'initialize'
}

function cancelHot(session: Session, body: unknown): void {
  for (const message of Array.isArray(body) ? body : [body]) {
    if (!isRecord(message) || message['method'] !== 'notifications/cancelled') continue
    const params = message['params']
    if (isRecord(params)) session.cancel(params['requestId'])
  }
}

const missingSession = (exchange: Exchange): Answer =>
  refuse(400, CODE.refused, 'Bad Request: Mcp-Session-Id header is required; open a session with initialize', {
    id: readableId(exchange.body),
  })

const unknownSession = (exchange: Exchange): Answer =>
  refuse(404, CODE.sessionNotFound, 'Session not found', { id: readableId(exchange.body) })
