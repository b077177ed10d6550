// One client over standard input and output, in either era. Whatever is written to the output is protocol, nothing else.
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import type { JSONRPCMessage, Server } from '@modelcontextprotocol/server'
import type { Readable, Writable } from 'node:stream'
import { isRecord } from '../lib/json.ts'
import { toError } from '../lib/thrown.ts'
import { concerns, type Change } from '../runtime/bus.ts'
import type { Catalog } from '../runtime/catalog.ts'
import type { CompiledServer, CompiledTool } from '../runtime/compiled.ts'
import type { Caller } from '../runtime/context.ts'
import { saidName } from '../runtime/said-name.ts'
import { isModernVersion, META, type Eras } from './protocol.ts'
import { buildServer } from './sdk-server.ts'
import { StdioTransport } from './stdio-transport.ts'
import { tell } from './tell.ts'
import { ListenedFor, Watches } from './watches.ts'

export interface StdioOptions {
  readonly caller: Caller
  readonly eras: Eras
  /** Ends the connection, after calls in flight have had up to `graceMs`. */
  readonly signal?: AbortSignal
  readonly graceMs?: number
  readonly input?: Readable
  readonly output?: Writable
  /** Told what the client calls itself, before anything that it sends is served; in the newer era with each request. */
  readonly onClient?: (name: string) => void
  readonly onError?: (error: Error) => void
}

const GRACE_MS = 5_000

/**
 * Serves one server of the catalog until the client closes our input or the signal aborts.
 * @returns a promise that resolves when the connection is over
 * @throws Error when the catalog has no such server
 */
export async function serveStdioServer(catalog: Catalog, serverId: string, options: StdioOptions): Promise<void> {
  const served = catalog.server(serverId)
  if (served === undefined) throw new Error(`no server ${serverId}`)
  const clients = new Set<StdioClient>()
  // Of its own, because the client says its name when it is there.
  const caller: Named = { ...options.caller }
  const listening = new ListenedFor(served, caller)
  const build = (): Server => buildFor(catalog, served, { ...options, caller }, clients)
  const transport = new StdioTransport({
    input: options.input ?? process.stdin,
    output: options.output ?? process.stdout,
    graceMs: options.graceMs ?? GRACE_MS,
    isWrite: (params) => isWrite(served, options.caller, params),
    listsMove: served.listsMove === true,
    onRead(message) {
      const name = clientNameIn(message)
      if (name !== undefined) {
        caller.client = saidName(name)
        options.onClient?.(name)
      }
      listening.note(message)
    },
    now: () => catalog.clock.now(),
  })
  const over = Promise.withResolvers<void>()
  transport.onclose = over.resolve
  const off = catalog.bus.on((change) => {
    if (concerns(change, served)) tellAll(clients, change, options)
  })
  try {
    const end = await serve(build, transport, options)
    const aborted = onceAborted(options.signal)
    if ((await Promise.race([over.promise, aborted.promise])) === 'aborted') await transport.drain().then(end)
    aborted.forget()
  } finally {
    off()
    listening.end()
  }
}

type Named = { -readonly [Field in keyof Caller]: Caller[Field] }

interface StdioClient {
  readonly server: Server
  readonly subscriptions: Watches
}

/** The SDK chooses the era by the first message, unless only the older one is served: that one needs no choice. */
async function serve(
  build: () => Server,
  transport: StdioTransport,
  { eras, onError }: StdioOptions,
): Promise<() => Promise<void>> {
  if (eras === '2025') {
    const server = build()
    await server.connect(transport)
    return () => server.close()
  }
  const closed = transport.onclose
  const handle = serveStdio(build, {
    transport,
    legacy: eras === '2026' ? 'reject' : 'serve',
    ...(onError === undefined ? {} : { onerror: onError }),
  })
  const ended = transport.onclose
  transport.onclose = () => {
    ended?.()
    closed?.()
  }
  return () => handle.close()
}

/** A promise of the abort, and a way to stop waiting for it. */
function onceAborted(signal: AbortSignal | undefined): { promise: Promise<'aborted'>; forget: () => void } {
  const { promise, resolve } = Promise.withResolvers<'aborted'>()
  const abort = (): void => resolve('aborted')
  if (signal?.aborted === true) abort()
  else signal?.addEventListener('abort', abort, { once: true })
  return { promise, forget: () => signal?.removeEventListener('abort', abort) }
}

function buildFor(catalog: Catalog, served: CompiledServer, options: StdioOptions, clients: Set<StdioClient>): Server {
  const subscriptions = new Watches(served)
  const server = buildServer({
    catalog,
    served,
    caller: options.caller,
    subscriptions,
    busy: (ctx, work) => work(ctx.mcpReq.signal),
    reachable: () => true,
    onError: (error) => options.onError?.(error),
  })
  const client = { server, subscriptions }
  clients.add(client)
  server.onclose = () => {
    subscriptions.clear()
    clients.delete(client)
  }
  return server
}

/** In the newer era everything is sent: the SDK passes on what the client listens for. */
function tellAll(clients: ReadonlySet<StdioClient>, change: Change, options: StdioOptions): void {
  for (const { server, subscriptions } of clients) {
    const version = server.getNegotiatedProtocolVersion()
    if (version === undefined || server.transport === undefined) continue
    tell(server, change, (uri) => isModernVersion(version) || subscriptions.has(uri)).catch((error: unknown) =>
      options.onError?.(toError(error)),
    )
  }
}

/** In the older era the first request says it, in the newer one any. */
function clientNameIn(message: JSONRPCMessage): string | undefined {
  if (!('method' in message) || !isRecord(message.params)) return undefined
  const { clientInfo, _meta: meta } = message.params
  const info = message.method === 'initialize' ? clientInfo : isRecord(meta) ? meta[META.clientInfo] : undefined
  return isRecord(info) && typeof info['name'] === 'string' ? info['name'] : undefined
}

/**
 * Whether a call may change what is stored. A call that cannot be resolved changes nothing, and what somebody else runs
 * changes nothing here: it takes as long as it takes, and nobody else has to wait for it.
 */
function isWrite(served: CompiledServer, caller: Caller, params: Readonly<Record<string, unknown>>): boolean {
  const { name, arguments: args } = params
  if (typeof name !== 'string') return false
  const group = served.group(name)
  return isChange(group === undefined ? served.find(name, caller) : group.find(args, caller))
}

const isChange = (tool: CompiledTool | undefined): boolean =>
  tool !== undefined && tool.effect !== 'read' && !tool.isForeign
