// A `tools/call` that came through the SDK: the same `invoke` as everywhere, with the client's progress, messages and
// input rounds attached.
import { ProtocolError } from '@modelcontextprotocol/server'
import type { CallToolResult, InputRequiredResult, Server, ServerContext } from '@modelcontextprotocol/server'
import { isRecord } from '../lib/json.ts'
import type { ElicitChannel } from '../runtime/context.ts'
import { invoke } from '../runtime/invoke.ts'
import type { Reply } from '../runtime/reply.ts'
import { canElicit } from './envelope.ts'
import { CODE, META } from './protocol.ts'
import { questions, toolResult } from './sdk-types.ts'
import { UNREACHABLE_MESSAGE, type Seat } from './seat.ts'

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
  server: Server,
  params: CallParams,
  { ctx, signal }: { readonly ctx: ServerContext; readonly signal: AbortSignal },
): Promise<CallToolResult | InputRequiredResult> {
  const progress = progressOf(seat, params._meta?.['progressToken'], ctx)
  const outcome = await invoke(seat.catalog, {
    caller: seat.caller,
    server: seat.served.id,
    tool: params.name,
    params: params.arguments,
    signal,
    elicit: elicitOf(seat, server, ctx),
    notify: (level, data, logger) => void ctx.mcpReq.log(level, data, logger).catch(seat.onError),
    detach: () => ctx.http?.closeSSE?.(),
    ...(seat.session === undefined ? {} : { session: seat.session }),
    ...(progress === undefined ? {} : { progress }),
    ...(params._meta === undefined ? {} : { meta: params._meta }),
  })
  if (outcome.kind === 'reply') {
    const { outputSchema } = seat.served.find(params.name, seat.caller)?.definition ?? {}
    return server.projectCallToolResult(toolResult(outcome.reply), outputSchema)
  }
  if (outcome.kind === 'input-required')
    return seat.reachable(ctx) ? questions(outcome.requests, outcome.state) : toolResult(UNREACHABLE)
  throw outcome.kind === 'invalid-state' ? invalidState() : new ProtocolError(CODE.invalidParams, outcome.message)
}

/** The refusal of a `requestState` that is forged, expired or somebody else's. It says no more than that. */
export const invalidState = (): ProtocolError =>
  new ProtocolError(CODE.invalidParams, 'Invalid or expired requestState', { reason: 'invalid_request_state' })

/** What this client can be asked, and what it answered in the round before. */
export function elicitOf(seat: Seat, server: Server, ctx: ServerContext): ElicitChannel {
  const envelope: unknown = ctx.mcpReq.envelope
  const declared = isRecord(envelope) ? envelope[META.clientCapabilities] : server.getClientCapabilities()
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
