// A `tools/call` that came through the SDK: the same `invoke` as everywhere, with the client's progress, messages and
// input rounds attached.
import { ProtocolError } from '@modelcontextprotocol/server'
import type { CallToolResult, InputRequiredResult, Server, ServerContext } from '@modelcontextprotocol/server'
import { isRecord } from '../lib/json.ts'
import type { Caller, ElicitChannel } from '../runtime/context.ts'
import { invoke } from '../runtime/invoke.ts'
import type { Call, Outcome } from '../runtime/outcome.ts'
import type { Reply } from '../runtime/reply.ts'
import { canElicit } from './envelope.ts'
import { CODE } from './protocol.ts'
import { questions, toolResult } from './sdk-types.ts'
import { callerAt, declaredOf, UNREACHABLE_MESSAGE, type Seat } from './seat.ts'
import type { VerbatimServer } from './verbatim-server.ts'

interface CallParams {
  readonly name: string
  readonly arguments?: Record<string, unknown> | undefined
  readonly _meta?: Record<string, unknown> | undefined
}

/** For a tool that asks all the same: without a stream the question would wait for an answer that cannot come. */
const UNREACHABLE: Reply = {
  content: [{ type: 'text', text: UNREACHABLE_MESSAGE }],
  isError: true,
}

/** Runs a tool for a seat. @throws ProtocolError for an unknown tool or a state that is not ours */
export async function callTool(
  seat: Seat,
  server: VerbatimServer,
  params: CallParams,
  { ctx, signal }: { readonly ctx: ServerContext; readonly signal: AbortSignal },
): Promise<CallToolResult | InputRequiredResult> {
  const caller = callerAt(seat, server, ctx)
  const listeners = listenersOf(seat, params, ctx)
  const outcome = await (seat.begun?.(ctx)?.take(listeners) ?? run(seat, server, params, { ctx, signal, caller }))
  if (outcome.kind === 'reply') {
    const { definition, isForeign } = seat.served.find(params.name, caller) ?? {}
    const result = server.projectCallToolResult(toolResult(outcome.reply), definition?.outputSchema)
    // Through a group it may have been one of either.
    const isOurs = definition === undefined ? !seat.served.hasSources : isForeign === false
    return isOurs ? result : server.pass(ctx.mcpReq.signal, result)
  }
  if (outcome.kind === 'input-required')
    return seat.reachable(ctx) ? questions(outcome.requests, outcome.state) : toolResult(UNREACHABLE)
  throw outcome.kind === 'invalid-state' ? invalidState() : new ProtocolError(CODE.invalidParams, outcome.message)
}

async function run(
  seat: Seat,
  server: Server,
  params: CallParams,
  { ctx, signal, caller }: { readonly ctx: ServerContext; readonly signal: AbortSignal; readonly caller: Caller },
): Promise<Outcome> {
  return invoke(seat.catalog, {
    caller,
    server: seat.served.id,
    tool: params.name,
    params: params.arguments,
    signal,
    elicit: elicitOf(seat, server, ctx),
    detach: () => ctx.http?.closeSSE?.(),
    ...(seat.session === undefined ? {} : { session: seat.session }),
    ...listenersOf(seat, params, ctx),
  })
}

/** How what happens meanwhile gets to the client, and what it said beside its request. */
export function listenersOf(
  seat: Seat,
  { _meta: meta }: { readonly _meta?: Record<string, unknown> | undefined },
  ctx: ServerContext,
): Pick<Call, 'notify' | 'progress' | 'meta'> {
  const progress = progressOf(seat, meta?.['progressToken'], ctx)
  return {
    notify: (level, data, logger) => void ctx.mcpReq.log(level, data, logger).catch(seat.onError),
    ...(progress === undefined ? {} : { progress }),
    ...(meta === undefined ? {} : { meta }),
  }
}

/** The refusal of a `requestState` that is forged, expired or somebody else's. It says no more than that. */
export const invalidState = (): ProtocolError =>
  new ProtocolError(CODE.invalidParams, 'Invalid or expired requestState', { reason: 'invalid_request_state' })

/** What this client can be asked, and what it answered in the round before. */
export function elicitOf(seat: Seat, server: Server, ctx: ServerContext): ElicitChannel {
  const declared = declaredOf(server, ctx)
  const capabilities = isRecord(declared) && seat.reachable(ctx) ? declared : {}
  const elicitation = capabilities['elicitation']
  const state = ctx.mcpReq.requestState()
  return {
    supported: canElicit(capabilities),
    can: {
      url: isRecord(elicitation) && elicitation['url'] !== undefined,
      sampling: capabilities['sampling'] !== undefined,
      roots: capabilities['roots'] !== undefined,
    },
    ...(ctx.mcpReq.inputResponses === undefined ? {} : { responses: ctx.mcpReq.inputResponses }),
    ...(typeof state === 'string' ? { state } : {}),
  }
}

function progressOf(seat: Seat, token: unknown, ctx: ServerContext) {
  if (typeof token !== 'string' && typeof token !== 'number') return undefined
  return (progress: number, total?: number, message?: string): void => {
    const params = {
      progressToken: token,
      progress,
      ...(total === undefined ? {} : { total }),
      ...(message === undefined ? {} : { message }),
    }
    void ctx.mcpReq.notify({ method: 'notifications/progress', params }).catch(seat.onError)
  }
}
