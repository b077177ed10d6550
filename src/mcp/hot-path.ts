// Answers the requests that make up nearly all traffic without the SDK: `tools/call`, `tools/list` and `server/discover` of
// 2026-07-28, and the first two inside a live 2025 session. It takes a request only when every check below passes;
// whatever is odd is left to the SDK, so that there is one owner of every error. Equal answers are a test.
import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import { isRecord } from '../lib/json.ts'
import type { Catalog } from '../runtime/catalog.ts'
import { withPlace } from '../runtime/client-place.ts'
import type { CompiledGroup, CompiledServer, CompiledTool } from '../runtime/compiled.ts'
import type { Caller } from '../runtime/context.ts'
import { invoke } from '../runtime/invoke.ts'
import { noteList } from '../runtime/listed.ts'
import type { Call, Outcome } from '../runtime/outcome.ts'
import { withProfile } from '../runtime/profiles/profile.ts'
import { acceptable } from './accept.ts'
import type { RequestId } from './answer.ts'
import { canElicit, plainEnvelope } from './envelope.ts'
import { HotEncoder, type Segments } from './hot-encoder.ts'
import { mirroredParameters } from './param-headers.ts'
import { ENDING_DATA, ENDING_MESSAGE, type PendingCalls } from './pending-calls.ts'
import { placedCaller } from './place-headers.ts'
import {
  CALL_KEYS,
  hasOnly,
  isPlainRequest,
  META_ONLY,
  plainSessionMeta,
  speaksSessions,
  type Json,
  type PlainRequest,
} from './plain-request.ts'
import { CODE, MODERN_VERSION, type Eras } from './protocol.ts'
import type { Session } from './session.ts'
import type { Sessions } from './sessions.ts'

/** A JSON answer with status 200. A null body means that nobody waits for it any more: 202. */
export interface HotAnswer {
  readonly body: string | Segments | Promise<string | null>
  /** Echoed as `mcp-session-id`. */
  readonly sessionId: string | undefined
}

/** What happened to the requests of one mount, for tests and metrics. */
export interface HotCounters {
  answered: number
  declined: number
  /** Off only where a test compares both paths. */
  enabled: boolean
}

export interface HotPathOptions {
  readonly catalog: Catalog
  readonly served: CompiledServer
  readonly sessions: Sessions
  readonly calls: PendingCalls
  readonly eras: Eras
}

export class HotPath {
  readonly counters: HotCounters = { answered: 0, declined: 0, enabled: true }
  readonly #catalog: Catalog
  readonly #served: CompiledServer
  readonly #sessions: Sessions
  readonly #calls: PendingCalls
  readonly #eras: Eras
  readonly #encoder: HotEncoder
  readonly #plainTools = new WeakMap<CompiledTool, boolean>()

  constructor(options: HotPathOptions) {
    this.#catalog = options.catalog
    this.#served = options.served
    this.#sessions = options.sessions
    this.#calls = options.calls
    this.#eras = options.eras
    this.#encoder = new HotEncoder(options.served)
  }

  /**
   * The answer to a POST, or undefined when the SDK has to give it.
   * @param response watched, when a 2026 call has to wait: its closing cancels the call
   */
  answer(headers: IncomingHttpHeaders, body: unknown, caller: Caller, response: ServerResponse): HotAnswer | undefined {
    const placed = this.counters.enabled ? placedCaller(headers, caller) : undefined
    const hot = placed === undefined ? undefined : this.#take(headers, body, placed, response)
    if (hot === undefined) this.counters.declined++
    else this.counters.answered++
    return hot
  }

  #take(headers: IncomingHttpHeaders, body: unknown, caller: Caller, response: ServerResponse): HotAnswer | undefined {
    if (!isPlainRequest(body) || !acceptable(headers.accept).json) return undefined
    if (headers['mcp-protocol-version'] === MODERN_VERSION)
      return this.#eras === '2025' ? undefined : this.#modern(headers, body, caller, response)
    return this.#eras === '2026' ? undefined : this.#session(headers, body, caller)
  }

  #modern(
    headers: IncomingHttpHeaders,
    request: PlainRequest,
    caller: Caller,
    response: ServerResponse,
  ): HotAnswer | undefined {
    const { params, method } = request
    if (params === undefined || headers['mcp-method'] !== method) return undefined
    const capabilities = plainEnvelope(params['_meta'])
    if (capabilities === undefined) return undefined
    if (method === 'tools/call') {
      if (headers['mcp-name'] !== params['name'] || !this.#isCallable(params, caller, canElicit(capabilities)))
        return undefined
      return this.#call(request, params, caller, new Departure(response))
    }
    if (!hasOnly(params, META_ONLY)) return undefined
    if (method === 'tools/list') return plain(this.#encoder.modernList(this.#list(caller), request.id))
    if (method !== 'server/discover') return undefined
    return plain(this.#encoder.discovery(request.id, this.#catalog.instructions(this.#served, caller, caller.place)))
  }

  #session(headers: IncomingHttpHeaders, request: PlainRequest, caller: Caller): HotAnswer | undefined {
    const id = headers['mcp-session-id']
    const version = headers['mcp-protocol-version']
    if (typeof id !== 'string' || !speaksSessions(version) || !plainSessionMeta(request.params?.['_meta']))
      return undefined
    if (request.method !== 'tools/call' && request.method !== 'tools/list') return undefined
    const session = this.#sessions.find(id, this.#served.id, caller.id, 'streamable')
    if (session === undefined || !session.open) return undefined
    session.calledAt = session.usedAt
    const { params } = request
    if (request.method === 'tools/list') {
      if (params !== undefined && !hasOnly(params, META_ONLY)) return undefined
      const tools = this.#list(withProfile(caller, session.profile))
      return { body: this.#encoder.sessionList(tools, request.id), sessionId: id }
    }
    if (params === undefined || !this.#isCallable(params, caller, session.elicits)) return undefined
    return this.#call(request, params, withPlace(caller, session.place), session)
  }

  #list(caller: Caller): string {
    const tools = this.#served.toolsListJson(caller)
    noteList(this.#catalog, this.#served, caller, () => this.#encoder.bytesOf(tools))
    return tools
  }

  /** Whether nothing about the tool or about its parameters needs the SDK. */
  #isCallable(params: Json, caller: Caller, elicits: boolean): boolean {
    const { name, arguments: args } = params
    if (typeof name !== 'string' || (args !== undefined && !isRecord(args)) || !hasOnly(params, CALL_KEYS)) return false
    const group = this.#served.group(name)
    if (group !== undefined) return this.#isCallableIn(group, args, caller, elicits)
    const tool = this.#served.find(name, caller)
    return tool !== undefined && this.#staysSilent(tool, elicits) && this.#isPlain(tool)
  }

  /** A group fails in words of its own, which need no SDK either. */
  #isCallableIn(group: CompiledGroup, args: unknown, caller: Caller, elicits: boolean): boolean {
    const tool = group.find(args, caller)
    return tool === undefined || this.#staysSilent(tool, elicits)
  }

  /** A tool that asks or talks needs a client that listens; one that only wants a confirmation does without. */
  #staysSilent(tool: CompiledTool, elicits: boolean): boolean {
    return !tool.canAsk || (!elicits && tool.declaration.asks !== true)
  }

  #isPlain(tool: CompiledTool): boolean {
    let isPlainTool = this.#plainTools.get(tool)
    if (isPlainTool === undefined) {
      const { inputSchema, outputSchema } = tool.definition
      const objectOutput = outputSchema === undefined || outputSchema['type'] === 'object'
      isPlainTool = objectOutput && mirroredParameters(inputSchema).length === 0
      this.#plainTools.set(tool, isPlainTool)
    }
    return isPlainTool
  }

  #call({ id }: PlainRequest, params: Json, caller: Caller, from: Departure | Session): HotAnswer {
    const session = from instanceof Departure ? undefined : from
    const meta = params['_meta']
    const call: Call = {
      caller,
      server: this.#served.id,
      tool: String(params['name']),
      params: params['arguments'],
      signal: () => from.signalFor(id),
      ...(session === undefined ? {} : { session: session.mark }),
      ...(isRecord(meta) ? { meta } : {}),
    }
    const outcome = invoke(this.#catalog, call)
    if (!(outcome instanceof Promise)) {
      // Whoever asked for the signal has no use for it any more.
      session?.settle(id)
      return { body: this.#encode(outcome, id, session), sessionId: session?.id }
    }
    return { body: this.#wait(outcome, id, from), sessionId: session?.id }
  }

  /** The answer, when there is one; at the end of the process at the latest, and then an error. */
  #wait(outcome: Promise<Outcome>, id: RequestId, from: Departure | Session): Promise<string | null> {
    const session = from instanceof Departure ? undefined : from
    if (session !== undefined) session.calls++
    return new Promise((resolve, reject) => {
      const forget = this.#calls.add(() => {
        resolve(this.#encoder.error(CODE.refused, ENDING_MESSAGE, id, ENDING_DATA))
        from.cancel(id)
      })
      void outcome
        .then(
          (settled) => this.#late(settled, id, session),
          () => this.#lateFailure(id, session),
        )
        .then(resolve, reject)
        .finally(forget)
    })
  }

  #late(outcome: Outcome, id: RequestId, session: Session | undefined): string | null {
    if (session === undefined) return this.#encoder.modernOutcome(outcome, id)
    session.callEnded(this.#catalog.clock.now())
    return session.settle(id) ? null : this.#encoder.sessionOutcome(outcome, id)
  }

  #lateFailure(id: RequestId, session: Session | undefined): string {
    if (session !== undefined) {
      session.callEnded(this.#catalog.clock.now())
      session.settle(id)
    }
    return this.#encoder.error(CODE.internal, 'Internal error', id)
  }

  #encode(outcome: Outcome, id: RequestId, session: Session | undefined): string {
    return session === undefined ? this.#encoder.modernOutcome(outcome, id) : this.#encoder.sessionOutcome(outcome, id)
  }
}

const plain = (body: string | Segments): HotAnswer => ({ body, sessionId: undefined })

/** Closing the response stream is how a 2026 client cancels (Streamable HTTP, Cancellation). Looked at only when a call asks. */
class Departure {
  readonly #response: ServerResponse
  #controller: AbortController | undefined

  constructor(response: ServerResponse) {
    this.#response = response
  }

  signalFor(_id: RequestId): AbortSignal {
    if (this.#controller !== undefined) return this.#controller.signal
    const controller = new AbortController()
    this.#controller = controller
    const response = this.#response
    if (response.destroyed) controller.abort()
    response.once('close', () => {
      if (!response.writableFinished) controller.abort()
    })
    return controller.signal
  }

  cancel(_id: RequestId): void {
    this.#controller?.abort()
  }
}
