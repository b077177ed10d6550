// Carries one request of a caller to a source and its answer back, whatever era either side speaks. Questions of a server become
// rounds of our own: a 2026 server keeps nothing and gives a state, a call at a 2025 server is parked until its caller comes back.
import { isRecord } from '../lib/json.ts'
import { LinkFailure, RpcError, type JsonObject, type Link, type RequestOptions } from '../lib/link.ts'
import { MCP_META } from '../lib/mcp-names.ts'
import { fault, type ToolFault } from '../runtime/fault.ts'
import type { ToolContext } from '../runtime/context.ts'
import { needInput, type InputNeeded } from '../runtime/reply.ts'
import { abilitiesOf, capabilitiesOf, type Abilities } from './abilities.ts'
import { AskingCall, type Turn } from './asking-call.ts'
import { isShallow, RESULT_DEPTH_MAX } from './depth.ts'
import { crowdedFault, deepFault, requestFault } from './faults.ts'
import type { Lane, OpenCall } from './lane.ts'
import type { HubLimits } from './limits.ts'
import type { ParkedCalls } from './parked.ts'
import type { Pool } from './pool.ts'
import { askedAnew, askedIn, askedOf, readState, type RoundState } from './rounds.ts'
import type { SourceSpec } from './spec.ts'
import type { Timers } from './timers.ts'

/** One request as the caller meant it. */
export interface Order<Answer> {
  readonly method: string
  readonly params: JsonObject
  /** Public name or address, for what is parked. */
  readonly subject: string
  /** May be done twice. */
  readonly isRead: boolean
  readonly timeoutMs: number
  /** 2026 over HTTP: values repeated in headers. */
  readonly mirrored?: Readonly<Record<string, string>>
  /** Whether its caller may be asked something for it. */
  readonly asks: boolean
  /** Whether it has to see what the calls of this caller left behind: over the connection that they went over. */
  readonly follows: boolean
  finish(result: JsonObject): Answer
}

export type Carried<Answer> = Promise<Answer | InputNeeded | ToolFault>

export interface BridgeTools {
  readonly spec: SourceSpec
  readonly pool: Pool
  readonly parked: ParkedCalls<AskingCall>
  readonly limits: Pick<HubLimits, 'callTotalMs'>
  readonly timers: Timers
}

const INPUT_REQUIRED = 'input_required'
/** Of a call whose caller has nothing to answer. */
const TRIES_MAX = 4

export class Bridge {
  readonly #tools: BridgeTools
  readonly #declared = new Map<Abilities, JsonObject>()

  constructor(tools: BridgeTools) {
    this.#tools = tools
  }

  carry<Answer>(order: Order<Answer>, ctx: ToolContext): Carried<Answer> {
    const { state, responses } = ctx.elicit
    const round = state === undefined ? undefined : readState(state)
    if (round?.kind === 'parked') return this.#resume(order, ctx, round.nonce, responses ?? {})
    return this.#begin(round === undefined ? order : withRound(order, round, responses), ctx, 0)
  }

  #begin<Answer>(order: Order<Answer>, ctx: ToolContext, tries: number): Carried<Answer> {
    const { pool } = this.#tools
    const seat = pool.seatOf(ctx.caller, order.follows)
    if (seat === undefined) return this.#beginLater(order, ctx, tries)
    const lane = pool.claim(seat, () => ctx.signal)
    if (lane instanceof Promise) return this.#beginIn(lane, order, ctx, tries)
    const { link } = lane
    return link === undefined ? this.#beginIn(lane, order, ctx, tries) : this.#send({ lane, link }, order, ctx, tries)
  }

  /** Which connection it is to be is only known once there is one. */
  async #beginLater<Answer>(order: Order<Answer>, ctx: ToolContext, tries: number): Carried<Answer> {
    const { pool, spec } = this.#tools
    try {
      await pool.base.supervisor.whenReady(ctx.signal)
    } catch (error) {
      return explained(spec, error, order, ctx)
    }
    return this.#begin(order, ctx, tries)
  }

  async #beginIn<Answer>(
    claim: Lane | Promise<Lane>,
    order: Order<Answer>,
    ctx: ToolContext,
    tries: number,
  ): Carried<Answer> {
    const { pool, spec } = this.#tools
    let lane: Lane | undefined
    let link: Link
    try {
      lane = await claim
      link = lane.link ?? (await lane.supervisor.whenReady(ctx.signal))
    } catch (error) {
      if (lane !== undefined) pool.letGo(lane)
      return explained(spec, error, order, ctx)
    }
    return this.#send({ lane, link }, order, ctx, tries)
  }

  #send<Answer>(at: Place, order: Order<Answer>, ctx: ToolContext, tries: number): Carried<Answer> {
    if (order.asks && at.lane.asks && at.link.peer.era === '2025') return this.#sendAsking(at, order, ctx, tries)
    const { lane, link } = at
    const open: OpenCall = { ctx }
    lane.calls.add(open)
    return link.request(order.method, order.params, this.#optionsFor(link, order, ctx)).then(
      (result) => {
        this.#over(lane, open)
        if (!isShallow(result, RESULT_DEPTH_MAX)) return deepFault(this.#tools.spec.title, order.isRead)
        return result['resultType'] === INPUT_REQUIRED ? this.#asked(order, ctx, result, tries) : order.finish(result)
      },
      (error: unknown) => {
        this.#over(lane, open)
        return this.#failed(order, ctx, error, tries)
      },
    )
  }

  #optionsFor(link: Link, { timeoutMs, asks, mirrored }: Order<unknown>, ctx: ToolContext): RequestOptions {
    const options = {
      signal: ctx.signal,
      timeoutMs,
      totalMs: this.#tools.limits.callTotalMs,
      onProgress: (params: JsonObject) => tell(ctx, params),
    }
    if (link.peer.era === '2025') return options
    const capabilities = this.#capabilities(asks ? abilitiesOf(ctx.caller) : '')
    return mirrored === undefined ? { ...options, capabilities } : { ...options, capabilities, mirrored }
  }

  /** The same object each time, so that whoever writes it down does so once. */
  #capabilities(abilities: Abilities): JsonObject {
    const known = this.#declared.get(abilities)
    if (known !== undefined) return known
    const declared = capabilitiesOf(abilities, this.#tools.spec.roots !== undefined)
    this.#declared.set(abilities, declared)
    return declared
  }

  #over(lane: Lane, open: OpenCall): void {
    lane.calls.delete(open)
    this.#tools.pool.letGo(lane)
  }

  /** A 2026 server wants to know something. */
  #asked<Answer>(
    order: Order<Answer>,
    ctx: ToolContext,
    result: JsonObject,
    tries: number,
  ): Carried<Answer> | InputNeeded | ToolFault {
    const { spec } = this.#tools
    const asked = askedIn(spec, result)
    if (Object.keys(asked.requests).length > 0) return askedOf(spec, asked, ctx)
    return tries < TRIES_MAX
      ? this.#begin(withRound(order, asked.round, {}), ctx, tries + 1)
      : fault('UNAVAILABLE', `${spec.title} asked again and again without a question.`)
  }

  #failed<Answer>(
    order: Order<Answer>,
    ctx: ToolContext,
    error: unknown,
    tries: number,
  ): Carried<Answer> | InputNeeded | ToolFault {
    const { spec } = this.#tools
    if (!ctx.signal.aborted && error instanceof LinkFailure && tries === 0)
      if (error.end.unheard === true || order.isRead) return this.#beginAgain(order, ctx)
    const anew = error instanceof RpcError ? askedAnew(error, ctx) : undefined
    return anew ?? explained(spec, error, order, ctx)
  }

  /** A moment later, so that the end of the connection is known to whoever gives it out. */
  async #beginAgain<Answer>(order: Order<Answer>, ctx: ToolContext): Carried<Answer> {
    await new Promise<void>((resolve) => void setImmediate(resolve))
    return this.#begin(order, ctx, 1)
  }

  #sendAsking<Answer>(at: Place, order: Order<Answer>, ctx: ToolContext, tries: number): Carried<Answer> {
    const { limits, timers } = this.#tools
    const { lane, link } = at
    const { method, params, timeoutMs } = order
    const onEnd = (): void => this.#over(lane, open)
    const call = new AskingCall({ link, method, params, timeoutMs, totalMs: limits.callTotalMs, timers, onEnd })
    const open: OpenCall = { ctx, questions: call }
    lane.calls.add(open)
    return this.#turn(call, order, ctx, tries)
  }

  async #turn<Answer>(call: AskingCall, order: Order<Answer>, ctx: ToolContext, tries: number): Carried<Answer> {
    let turn: Turn
    try {
      turn = await call.turn(ctx.signal, (params) => tell(ctx, params))
    } catch (error) {
      return this.#failed(order, ctx, error, tries)
    }
    const { parked, spec } = this.#tools
    if ('result' in turn)
      return isShallow(turn.result, RESULT_DEPTH_MAX) ? order.finish(turn.result) : deepFault(spec.title, order.isRead)
    const place = { callerId: ctx.caller.id, subject: order.subject }
    const nonce = parked.park(call, place)
    if (nonce !== undefined) return needInput(turn.questions, `p${nonce}`)
    const full = crowdedFault(spec.title)
    call.cancel(full)
    return full
  }

  #resume<Answer>(
    order: Order<Answer>,
    ctx: ToolContext,
    nonce: string,
    responses: Readonly<Record<string, unknown>>,
  ): Carried<Answer> {
    const parked = this.#tools.parked.take(nonce, { callerId: ctx.caller.id, subject: order.subject })
    if (parked === undefined) return Promise.resolve(lostFault(this.#tools.spec))
    parked.answer(responses)
    return this.#turn(parked, order, ctx, 1)
  }
}

interface Place {
  readonly lane: Lane
  readonly link: Link
}

function withRound<Answer>(
  order: Order<Answer>,
  round: Exclude<RoundState, { kind: 'parked' }>,
  responses: Readonly<Record<string, unknown>> | undefined,
): Order<Answer> {
  if (round.kind === 'anew') return order
  const { requestState, answered } = round
  return {
    ...order,
    params: {
      ...order.params,
      inputResponses: { ...responses, ...answered },
      ...(requestState === undefined ? {} : { requestState }),
    },
  }
}

function explained(spec: SourceSpec, error: unknown, { isRead }: Order<unknown>, { signal }: ToolContext): ToolFault {
  if (signal.aborted) return fault('CANCELLED', 'The caller cancelled the call.')
  const known = requestFault(spec.title, error, isRead)
  if (known === undefined) throw error
  return known
}

const lostFault = ({ title }: SourceSpec): ToolFault =>
  fault(
    'CONFLICT',
    `What ${title} asked was answered already, has expired, or was lost when the gateway was restarted.`,
    {
      recovery: 'Call again from the start. What the call was to do may have been done in part: look first.',
    },
  )

function tell(ctx: ToolContext, { progress, total, message }: JsonObject): void {
  if (typeof progress !== 'number') return
  const words = typeof message === 'string' ? message : undefined
  ctx.progress(progress, typeof total === 'number' ? total : undefined, words)
}

/** Only the trace of a caller goes on, and what it wants to hear; nothing else that it said of itself does. */
export function metaFor({ logLevel, trace }: ToolContext): JsonObject | undefined {
  const heard = logLevel === undefined ? undefined : { [MCP_META.logLevel]: logLevel }
  if (trace === undefined) return heard
  const { traceId, parentId, sampled, tracestate, baggage } = trace
  return {
    traceparent: `00-${traceId}-${parentId}-${sampled ? '01' : '00'}`,
    ...(tracestate === undefined ? {} : { tracestate }),
    ...(baggage === undefined ? {} : { baggage }),
    ...heard,
  }
}

export const argumentsOf = (params: unknown): JsonObject => (isRecord(params) ? params : {})
