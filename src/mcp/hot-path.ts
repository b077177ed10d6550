// Answers the requests that make up nearly all traffic without the SDK: `tools/call`, `tools/list` and `server/discover` of
// 2026-07-28, and the first two inside a live 2025 session. It takes a request only when every check below passes;
// whatever is odd is left to the SDK, so that there is one owner of every error. Equal answers are a test.
import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import { isRecord } from '../lib/json.ts'
import type { Catalog } from '../runtime/catalog.ts'
import { withPlace } from '../runtime/client-place.ts'
import type { CompiledServer } from '../runtime/compiled.ts'
import type { Caller } from '../runtime/context.ts'
import { invoke } from '../runtime/invoke.ts'
import { noteList } from '../runtime/listed.ts'
import type { Call, Outcome } from '../runtime/outcome.ts'
import { withProfile } from '../runtime/profiles/profile.ts'
import { abilitiesOf, callerWith, channelOf } from './abilities.ts'
import { acceptable } from './accept.ts'
import type { RequestId } from './answer.ts'
import { Begun, Talk } from './begun.ts'
import { Callable } from './callable.ts'
import { Departure } from './departure.ts'
import { canElicit, plainEnvelope } from './envelope.ts'
import { HotEncoder, type Segments } from './hot-encoder.ts'
import { ENDING_DATA, ENDING_MESSAGE, type PendingCalls } from './pending-calls.ts'
import { placedCaller } from './place-headers.ts'
import {
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

/** A JSON answer with status 200. A null body means that nobody waits for it any more: 202. What was begun the SDK ends. */
export interface HotAnswer {
  readonly body: string | Segments | Promise<string | null | Begun>
  /** Echoed as `mcp-session-id`. */
  readonly sessionId: string | undefined
}

/** What happened to the requests of one mount, for tests and metrics. */
export interface HotCounters {
  answered: number
  declined: number
  /** Of those answered: begun here, ended by the SDK. */
  handedOver: number
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
  readonly counters: HotCounters = { answered: 0, declined: 0, handedOver: 0, enabled: true }
  readonly #catalog: Catalog
  readonly #served: CompiledServer
  readonly #sessions: Sessions
  readonly #calls: PendingCalls
  readonly #eras: Eras
  readonly #encoder: HotEncoder
  readonly #callable: Callable

  constructor(options: HotPathOptions) {
    this.#catalog = options.catalog
    this.#served = options.served
    this.#sessions = options.sessions
    this.#calls = options.calls
    this.#eras = options.eras
    this.#encoder = new HotEncoder(options.served)
    this.#callable = new Callable(options.served)
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
    bare: Caller,
    response: ServerResponse,
  ): HotAnswer | undefined {
    const { params, method } = request
    if (params === undefined || headers['mcp-method'] !== method) return undefined
    const { _meta: meta } = params
    const capabilities = plainEnvelope(meta)
    if (capabilities === undefined) return undefined
    const listens = isListening(meta)
    const caller = this.#served.hasSources ? callerWith(bare, abilitiesOf(capabilities)) : bare
    if (method === 'tools/call') {
      const elicits = canElicit(capabilities)
      if (headers['mcp-name'] !== params['name'] || !this.#callable.allows(params, { caller, elicits, listens }))
        return undefined
      return this.#call(request, params, { caller, listens, from: new Departure(response), hears: true })
    }
    if (listens || !hasOnly(params, META_ONLY)) return undefined
    if (method === 'tools/list') return plain(this.#encoder.modernList(this.#list(caller), request.id))
    if (method !== 'server/discover') return undefined
    return plain(this.#encoder.discovery(request.id, this.#catalog.instructions(this.#served, caller, caller.place)))
  }

  #session(headers: IncomingHttpHeaders, request: PlainRequest, bare: Caller): HotAnswer | undefined {
    const id = headers['mcp-session-id']
    const version = headers['mcp-protocol-version']
    if (typeof id !== 'string' || !speaksSessions(version) || !plainSessionMeta(request.params?.['_meta']))
      return undefined
    if (request.method !== 'tools/call' && request.method !== 'tools/list') return undefined
    const session = this.#sessions.find(id, this.#served.id, bare.id, 'streamable')
    if (session === undefined || !session.open) return undefined
    session.calledAt = session.usedAt
    const { params } = request
    const listens = isListening(params?.['_meta'])
    const caller = this.#served.hasSources ? callerWith(bare, session.abilities) : bare
    if (request.method === 'tools/list') {
      if (listens || !this.#callable.isPlainList(caller)) return undefined
      if (params !== undefined && !hasOnly(params, META_ONLY)) return undefined
      const tools = this.#list(withProfile(caller, session.profile))
      return { body: this.#encoder.sessionList(tools, request.id), sessionId: id }
    }
    if (params === undefined || !this.#callable.allows(params, { caller, elicits: session.elicits, listens }))
      return undefined
    const placed = withPlace(caller, session.place)
    const hears = acceptable(headers.accept).events
    return this.#call(request, params, { caller: placed, listens, from: session, hears })
  }

  #list(caller: Caller): string {
    const tools = this.#served.toolsListJson(caller)
    noteList(this.#catalog, this.#served, caller, () => this.#encoder.bytesOf(tools))
    return tools
  }

  #call({ id }: PlainRequest, params: Json, { caller, from, hears, listens }: Asker): HotAnswer {
    const session = from instanceof Departure ? undefined : from
    const meta = params['_meta']
    const talk = hears && listens ? new Talk() : undefined
    const call: Call = {
      caller,
      server: this.#served.id,
      tool: String(params['name']),
      params: params['arguments'],
      signal: () => from.signalFor(id),
      ...(session === undefined ? {} : { session: session.mark }),
      ...(isRecord(meta) ? { meta } : {}),
      ...(this.#served.hasSources ? { elicit: channelOf(hears ? caller.abilities : undefined) } : {}),
      ...(this.#served.hasSources && session !== undefined ? { notify: noticesOf(session) } : {}),
      ...(talk === undefined ? {} : { progress: talk.progress, notify: talk.notify }),
    }
    const outcome = invoke(this.#catalog, call)
    if (!(outcome instanceof Promise) && !this.#isUnfinished(outcome)) {
      // Whoever asked for the signal has no use for it any more.
      session?.settle(id)
      return { body: this.#encode(outcome, id, session), sessionId: session?.id }
    }
    return { body: this.#wait(Promise.resolve(outcome), id, from, talk), sessionId: session?.id }
  }

  #handOver(outcome: Outcome | Promise<Outcome>, talk?: Talk): Begun {
    this.counters.handedOver++
    return new Begun(outcome, talk)
  }

  /** A question is the SDK's to put; so is what only one of the eras can write as it is. */
  #isUnfinished(outcome: Outcome): boolean {
    if (!this.#served.hasSources) return false
    if (outcome.kind !== 'reply') return outcome.kind !== 'unknown-tool'
    const { structuredContent } = outcome.reply
    return structuredContent !== undefined && !isRecord(structuredContent)
  }

  /** The answer, when there is one; at the end of the process at the latest, and then an error. */
  #wait(
    outcome: Promise<Outcome>,
    id: RequestId,
    from: Departure | Session,
    talk: Talk | undefined,
  ): Promise<string | null | Begun> {
    const session = from instanceof Departure ? undefined : from
    if (session !== undefined) session.calls++
    return new Promise((resolve, reject) => {
      talk?.onFirst(() => resolve(this.#handOver(outcome, talk)))
      const forget = this.#calls.add(() => {
        resolve(this.#encoder.error(CODE.refused, ENDING_MESSAGE, id, ENDING_DATA))
        from.cancel(id)
      })
      void outcome
        .then(
          (settled) => this.#late(settled, id, session, talk),
          () => this.#lateFailure(id, session),
        )
        .then(resolve, reject)
        .finally(forget)
    })
  }

  #late(outcome: Outcome, id: RequestId, session: Session | undefined, talk?: Talk): string | null | Begun {
    session?.callEnded(this.#catalog.clock.now())
    // What was handed over has been told already, and is answered there.
    if (session?.settle(id) === true || talk?.hasBegun === true) return null
    return this.#isUnfinished(outcome) ? this.#handOver(outcome) : this.#encode(outcome, id, session)
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

/** Who calls, how they go away, and whether a question would get to them. */
interface Asker {
  readonly caller: Caller
  readonly from: Departure | Session
  readonly hears: boolean
  /** Whether the client wants to hear how far the call is. */
  readonly listens: boolean
}

const isListening = (meta: unknown): boolean => isRecord(meta) && meta['progressToken'] !== undefined

const noticesOf =
  (session: Session): NonNullable<Call['notify']> =>
  (level, data, logger) =>
    session.log(level, data, logger)

const plain = (body: string | Segments): HotAnswer => ({ body, sessionId: undefined })
