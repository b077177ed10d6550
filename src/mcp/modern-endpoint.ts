// The 2026-07-28 era of one mount, for everything that the hot path leaves: the SDK's handler owns every error answer,
// every stream and every input round; sessions are not its business.
import { classifyInboundRequest, createMcpHandler } from '@modelcontextprotocol/server'
import type { McpHttpHandler, ServerEvent, ServerEventBus } from '@modelcontextprotocol/server'
import { isRecord } from '../lib/json.ts'
import { concerns, type Change, type ChangeBus } from '../runtime/bus.ts'
import type { StreamBudget } from '../lib/stream-budget.ts'
import type { Catalog } from '../runtime/catalog.ts'
import type { CompiledServer } from '../runtime/compiled.ts'
import type { Caller } from '../runtime/context.ts'
import { permitServer } from '../runtime/steps/permit.ts'
import type { WireTool } from '../runtime/wire-tool.ts'
import { readableId, refuse, type Answer, type StreamAnswer } from './answer.ts'
import { answerOf, formsOf, webRequest, type Exchange } from './exchange.ts'
import { mirroredParameters, type MirroredParameter } from '../lib/mirrored-parameters.ts'
import { decodeHeaderValue, headerMismatch, quoted, type HeaderMismatch } from './param-headers.ts'
import type { PendingCalls } from './pending-calls.ts'
import { CODE, headerOf, META, MODERN_VERSION, SAID_CHARS_MAX } from './protocol.ts'
import { buildServer } from './sdk-server.ts'
import { endingError } from './seat.ts'
import { admitCall, admitListener, untilEnded } from './stream-admission.ts'
import { watchedUris, watchProblem } from './subscriptions.ts'
import { Watches, watchRefusal } from './watches.ts'

export interface ModernEndpointOptions {
  readonly catalog: Catalog
  readonly served: CompiledServer
  readonly streams: StreamBudget
  readonly calls: PendingCalls
  readonly onError: (error: unknown) => void
}

export class ModernEndpoint {
  readonly #options: ModernEndpointOptions
  readonly #handler: McpHttpHandler
  readonly #exchanges = new WeakMap<Request, Exchange>()
  readonly #mirrored = new WeakMap<WireTool, readonly MirroredParameter[]>()

  constructor(options: ModernEndpointOptions) {
    this.#options = options
    this.#handler = createMcpHandler(({ requestInfo }) => this.#build(requestInfo), {
      legacy: 'reject',
      bus: eventBus(options.catalog.bus, options.served),
      // The budget of all streams is counted outside, where it can be answered with a status.
      maxSubscriptions: Number.MAX_SAFE_INTEGER,
      onerror: options.onError,
    })
  }

  /** Whether a POST belongs to the era of sessions. */
  isSessionTraffic(exchange: Exchange): boolean {
    const version = headerOf(exchange.headers['mcp-protocol-version'])
    const method = headerOf(exchange.headers['mcp-method'])
    const verdict = classifyInboundRequest({
      httpMethod: exchange.method,
      body: exchange.body,
      ...(version === undefined ? {} : { protocolVersionHeader: version }),
      ...(method === undefined ? {} : { mcpMethodHeader: method }),
    })
    return verdict.kind === 'legacy'
  }

  async serve(exchange: Exchange): Promise<Answer | StreamAnswer> {
    const mismatch = longNameMismatch(exchange) ?? this.#mismatch(exchange)
    if (mismatch !== undefined)
      return refuse(400, CODE.headerMismatch, mismatch.message, {
        id: readableId(exchange.body),
        data: { mismatch: mismatch.mismatch },
      })
    const listens = isRecord(exchange.body) && exchange.body['method'] === 'subscriptions/listen'
    return listens
      ? this.#listen(exchange)
      : admitCall(this.#options.streams, exchange, (admitted) => this.#fetch(admitted))
  }

  async #listen(exchange: Exchange): Promise<Answer | StreamAnswer> {
    const { body, caller } = exchange
    const watched = watchedUris(body)
    const { served, streams } = this.#options
    const problem = watched.length === 0 ? undefined : (watchProblem(watched) ?? refusalOf(served, watched, caller))
    if (problem !== undefined) return refuse(400, CODE.invalidParams, problem, { id: readableId(body) })
    const watches = new Watches(served)
    for (const uri of watched) if (typeof uri === 'string') watches.add(uri)
    return untilEnded(
      () => watches.clear(),
      () => admitListener(streams, exchange, () => this.#fetch(exchange)),
    )
  }

  async #fetch(exchange: Exchange): Promise<Answer | StreamAnswer> {
    const request = webRequest(exchange)
    this.#exchanges.set(request, exchange)
    const response = await this.#handler.fetch(request, { parsedBody: exchange.body })
    return answerOf(response, formsOf(exchange))
  }

  /** Ends every listening stream with its closing result. */
  async close(): Promise<void> {
    await this.#handler.close()
  }

  #build(request: Request | undefined) {
    const exchange = request === undefined ? undefined : this.#exchanges.get(request)
    if (exchange === undefined) throw new Error('an exchange without a caller')
    const { catalog, served, calls, onError } = this.#options
    const forms = formsOf(exchange)
    return buildServer({
      catalog,
      served,
      caller: exchange.caller,
      busy: (ctx, work) => calls.run(work, ctx.mcpReq.signal, endingError),
      reachable: () => forms.json || forms.events,
      begun: () => exchange.begun,
      onError,
    })
  }

  /** Checked here, before the SDK looks at the request, unless one of its own checks comes first. */
  #mismatch(exchange: Exchange): HeaderMismatch | undefined {
    const { body, headers, caller } = exchange
    if (!isRecord(body) || body['method'] !== 'tools/call' || headers['mcp-method'] !== 'tools/call') return undefined
    const params = body['params']
    if (!isRecord(params) || headers['mcp-name'] !== params['name'] || !isPlainClaim(params, exchange)) return undefined
    const tool = this.#options.served.listTools(caller).find(({ name }) => name === params['name'])
    if (tool === undefined) return undefined
    return headerMismatch(this.#parametersOf(tool), params['arguments'], headers)
  }

  #parametersOf(tool: WireTool): readonly MirroredParameter[] {
    const known = this.#mirrored.get(tool)
    if (known !== undefined) return known
    const parameters = mirroredParameters(tool.inputSchema)
    this.#mirrored.set(tool, parameters)
    return parameters
  }
}

/** The parameter that `Mcp-Name` repeats (Streamable HTTP, Standard Headers). */
const NAMED = new Map([
  ['tools/call', 'name'],
  ['prompts/get', 'name'],
  ['resources/read', 'uri'],
  ['tasks/get', 'taskId'],
  ['tasks/update', 'taskId'],
  ['tasks/cancel', 'taskId'],
])

/**
 * The SDK quotes a name that its header does not repeat, twice and in full, and the header too; a long one of either never
 * gets that far.
 */
function longNameMismatch({ body, headers }: Exchange): HeaderMismatch | undefined {
  if (!isRecord(body) || !isRecord(body['params'])) return undefined
  const field = NAMED.get(String(body['method']))
  const name = field === undefined ? undefined : body['params'][field]
  if (typeof name !== 'string') return undefined
  const sent = headerOf(headers['mcp-name'])
  if (Math.max(name.length, sent?.length ?? 0) <= SAID_CHARS_MAX) return undefined
  if (sent !== undefined && decodeHeaderValue(sent) === name) return undefined
  const names = sent === undefined ? 'the required Mcp-Name header is absent' : 'the Mcp-Name header names another'
  const said = `the body carries params.${field}=${quoted(name)} but ${names}`
  return {
    message: `Bad Request: the request headers and body disagree: ${said}`,
    mismatch: { header: sent === undefined ? '(missing)' : 'mcp-name', body: said },
  }
}

function isPlainClaim(params: Record<string, unknown>, exchange: Exchange): boolean {
  const meta = params['_meta']
  return (
    isRecord(meta) &&
    meta[META.version] === MODERN_VERSION &&
    exchange.headers['mcp-protocol-version'] === MODERN_VERSION
  )
}

/** The SDK's view of the one bus that everything here emits on. */
function eventBus(bus: ChangeBus, served: CompiledServer): ServerEventBus {
  return {
    publish: (event) => bus.emit(changeOf(event)),
    subscribe: (listener) =>
      bus.on((change) => {
        if (concerns(change, served)) listener(eventOf(change))
      }),
  }
}

function refusalOf(served: CompiledServer, uris: readonly unknown[], caller: Caller): string | undefined {
  for (const uri of uris) {
    const refused = typeof uri === 'string' ? watchRefusal(served, uri, caller) : permitServer(served, caller)
    if (refused !== undefined) return refused.message
  }
  return undefined
}

function eventOf(change: Change): ServerEvent {
  if (change.kind === 'resource') return { kind: 'resource_updated', uri: change.uri }
  return { kind: `${change.kind}_list_changed` }
}

const CHANGES = Object.freeze({
  tools_list_changed: 'tools',
  prompts_list_changed: 'prompts',
  resources_list_changed: 'resources',
})

function changeOf(event: ServerEvent): Change {
  return event.kind === 'resource_updated' ? { kind: 'resource', uri: event.uri } : { kind: CHANGES[event.kind] }
}
