// The transport of 2024-11-05 at one mount: a GET opens stream and session at once, a POST beside it brings messages in.
// A session ends with its stream.
import { parseJSONRPCMessage } from '@modelcontextprotocol/server'
import type { JSONRPCMessage } from '@modelcontextprotocol/server'
import type { Clock } from '../runtime/context.ts'
import { readableId, refuse, type Answer, type StreamAnswer } from './answer.ts'
import { formsOf, type Exchange } from './exchange.ts'
import { CODE } from './protocol.ts'
import { buildServer } from './sdk-server.ts'
import { endingError } from './seat.ts'
import type { Session } from './session.ts'
import type { SessionEndpointOptions } from './session-endpoint.ts'
import { tooManySessions, versionRefusal } from './session-answers.ts'
import { SseTransport } from './sse-transport.ts'
import { admitListener } from './stream-admission.ts'

export class SseEndpoint {
  readonly #options: SessionEndpointOptions
  readonly #transports = new WeakMap<Session, SseTransport>()

  constructor(options: SessionEndpointOptions) {
    this.#options = options
  }

  /** @param messages path for the client's messages as it sees it, without query */
  async open(exchange: Exchange, messages: string): Promise<Answer | StreamAnswer> {
    if (!formsOf(exchange).events) return refuse(406, CODE.refused, 'Not Acceptable: send Accept: text/event-stream')
    return admitListener(this.#options.streams, exchange, () => this.#open(exchange, messages))
  }

  /** Takes messages of a client; what they are answered with goes out on its stream. */
  post(exchange: Exchange, sessionId: string | undefined): Answer {
    const id = readableId(exchange.body)
    if (sessionId === undefined)
      return refuse(400, CODE.refused, 'Bad Request: sessionId is required; take the path that the stream names', {
        id,
      })
    const { sessions, served } = this.#options
    const session = sessions.find(sessionId, served.id, exchange.caller.id, 'sse')
    const transport = session === undefined ? undefined : this.#transports.get(session)
    if (transport === undefined) return refuse(404, CODE.sessionNotFound, 'Session not found', { id })
    const refusal = versionRefusal(exchange)
    if (refusal !== undefined) return refusal
    const messages = messagesOf(exchange.body)
    if (messages === undefined)
      return refuse(400, CODE.invalidRequest, 'Invalid Request: this is not a JSON-RPC message', { id })
    for (const message of messages) transport.onmessage?.(message)
    return { status: 202, headers: {}, body: null }
  }

  #open(exchange: Exchange, messages: string): Answer | StreamAnswer {
    const { catalog, served, sessions, calls, onError } = this.#options
    const session = sessions.open(served, exchange.caller, 'sse')
    if (session === undefined) return tooManySessions(exchange.body)
    const { profile } = session
    const named = profile === undefined ? '' : `&profile=${profile}`
    const transport = new SseTransport(session.id, `${messages}?sessionId=${session.id}${named}`)
    const server = buildServer({
      catalog,
      served,
      caller: exchange.caller,
      subscriptions: session.subscriptions,
      busy: (ctx, work) => busy(session, catalog.clock, () => calls.run(work, ctx.mcpReq.signal, endingError)),
      reachable: () => true,
      onError,
    })
    session.peer = { server }
    session.streams++
    this.#transports.set(session, transport)
    server.onclose = () => void sessions.end(session)
    server.connect(transport).catch(onError)
    return { status: 200, headers: { 'content-type': 'text/event-stream' }, events: transport.events }
  }
}

async function busy<T>(session: Session, clock: Clock, work: () => Promise<T>): Promise<T> {
  session.calls++
  session.calledAt = session.usedAt
  try {
    return await work()
  } finally {
    session.callEnded(clock.now())
  }
}

/** The messages of a body, or undefined when one of them is none. */
function messagesOf(body: unknown): JSONRPCMessage[] | undefined {
  try {
    return (Array.isArray(body) ? body : [body]).map((message: unknown) => parseJSONRPCMessage(message))
  } catch (error) {
    if (error instanceof Error) return undefined
    throw error
  }
}
