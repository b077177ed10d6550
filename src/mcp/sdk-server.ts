// One SDK server made from the catalog, for everything that the hot path leaves: a session, one 2026-07-28 exchange, or a
// stdio connection. Low-level on purpose: 4 KiB a piece, lists prebuilt, and the catalog stays the only place that knows tools.
import { ProtocolError } from '@modelcontextprotocol/server'
import type { ListToolsResult, Server } from '@modelcontextprotocol/server'
import type { Caller } from '../runtime/context.ts'
import { listBytes, noteList } from '../runtime/listed.ts'
import type { WireTool } from '../runtime/wire-tool.ts'
import { capabilitiesOf, identityOf, listTtlOf } from './identity.ts'
import { CODE, SESSION_VERSIONS } from './protocol.ts'
import { callTool } from './sdk-calls.ts'
import { protocolFault } from './protocol-fault.ts'
import { registerContent } from './sdk-content.ts'
import { toolList } from './sdk-types.ts'
import { callerAt, refuseCursor, type Seat } from './seat.ts'
import { watchProblem } from './subscriptions.ts'
import { VerbatimServer } from './verbatim-server.ts'
import { watchRefusal, type Watches } from './watches.ts'

// Only `elicitInput` would validate with it, and questions here go out as input rounds.
const NO_VALIDATOR = {
  getValidator(): never {
    throw new Error('no validator: questions are put as input rounds')
  },
}

/** Builds the server of one seat. Nothing in it belongs to another caller. */
export function buildServer(seat: Seat): Server {
  const { catalog, caller, served } = seat
  const instructions = catalog.instructions(served, caller, caller.place)
  const cacheHint = { ttlMs: listTtlOf(served), cacheScope: 'private' as const }
  const server = new VerbatimServer(identityOf(served), {
    capabilities: capabilitiesOf(served),
    supportedProtocolVersions: [...SESSION_VERSIONS],
    jsonSchemaValidator: NO_VALIDATOR,
    cacheHints: {
      'tools/list': cacheHint,
      'prompts/list': cacheHint,
      'resources/list': cacheHint,
      'resources/templates/list': cacheHint,
      'server/discover': cacheHint,
    },
    ...(instructions === undefined ? {} : { instructions }),
  })
  server.onerror = seat.onError
  server.setRequestHandler('tools/list', (request, ctx) => {
    refuseCursor(request.params?.cursor)
    return listTools(seat, callerAt(seat, server, ctx))
  })
  server.setRequestHandler('tools/call', (request, ctx) =>
    seat.busy(ctx, (signal) => callTool(seat, server, request.params, { ctx, signal })),
  )
  registerContent(seat, server)
  if (seat.subscriptions !== undefined) registerSubscriptions(seat, seat.subscriptions, server)
  return server
}

const sdkLists = new WeakMap<readonly WireTool[], ListToolsResult>()

function listTools({ catalog, served }: Seat, caller: Caller): ListToolsResult {
  const tools = served.listTools(caller)
  noteList(catalog, served, caller, () => listBytes(tools))
  let list = sdkLists.get(tools)
  if (list === undefined) {
    list = toolList(tools)
    sdkLists.set(tools, list)
  }
  return list
}

function registerSubscriptions(seat: Seat, subscriptions: Watches, server: Server): void {
  server.setRequestHandler('resources/subscribe', ({ params: { uri } }) => {
    const refused = watchRefusal(seat.served, uri, seat.caller)
    if (refused !== undefined) throw protocolFault(refused)
    const problem = subscriptions.has(uri) ? undefined : watchProblem([uri], subscriptions.size)
    if (problem !== undefined) throw new ProtocolError(CODE.invalidParams, problem)
    subscriptions.add(uri)
    return {}
  })
  server.setRequestHandler('resources/unsubscribe', ({ params: { uri } }) => {
    subscriptions.delete(uri)
    return {}
  })
}
