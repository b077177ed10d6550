// A client's place at an SDK server: what its handlers need to know of who asks and how to reach them.
import { ProtocolError } from '@modelcontextprotocol/server'
import type { Server, ServerContext } from '@modelcontextprotocol/server'
import { isRecord } from '../lib/json.ts'
import type { Catalog } from '../runtime/catalog.ts'
import type { CompiledServer } from '../runtime/compiled.ts'
import type { Caller } from '../runtime/context.ts'
import { abilitiesOf, callerWith } from './abilities.ts'
import type { Begun } from './begun.ts'
import { ENDING_DATA, ENDING_MESSAGE } from './pending-calls.ts'
import { CODE, META } from './protocol.ts'
import type { Watches } from './watches.ts'

/** Who sits at a server, and how to reach them. */
export interface Seat {
  readonly catalog: Catalog
  readonly served: CompiledServer
  readonly caller: Caller
  /** The mark of the session, where there is one. */
  readonly session?: string
  /** Wraps every request that runs something, so that its session counts as busy. `work` runs until its signal aborts. */
  readonly busy: <T>(ctx: ServerContext, work: (signal: AbortSignal) => Promise<T>) => Promise<T>
  /** URIs this client subscribed to; undefined where the transport routes subscriptions itself. */
  readonly subscriptions?: Watches
  /** Whether a question put into the answer of this exchange would reach the client. */
  readonly reachable: (ctx: ServerContext) => boolean
  /** The call of this request, where it was begun elsewhere and goes on here. */
  readonly begun?: (ctx: ServerContext) => Begun | undefined
  /** Told about failures that no answer can carry. */
  readonly onError: (error: Error) => void
}

/** What the client of this request declared that it can do: in its envelope, or when the session began. */
export function declaredOf(server: Server, { mcpReq }: ServerContext): unknown {
  const envelope: unknown = mcpReq.envelope
  return isRecord(envelope) ? envelope[META.clientCapabilities] : server.getClientCapabilities()
}

/** Who asks, together with what they can be asked where that matters. */
export function callerAt({ served, caller }: Seat, server: Server, ctx: ServerContext): Caller {
  return served.hasSources ? callerWith(caller, abilitiesOf(declaredOf(server, ctx))) : caller
}

/** Lists here have one page, so every cursor is one that nobody was given. */
export function refuseCursor(cursor: string | undefined): void {
  if (cursor !== undefined) throw new ProtocolError(CODE.invalidParams, 'Invalid cursor')
}

/** What a call ends with that the process could not wait for. */
export const endingError = (): ProtocolError => new ProtocolError(CODE.refused, ENDING_MESSAGE, ENDING_DATA)

/** What a client reads that would have to be asked, but takes no stream on which a question could go out. */
export const UNREACHABLE_MESSAGE =
  'This needs a question to the user, and the client takes only JSON answers here. Send Accept: application/json, text/event-stream.'
