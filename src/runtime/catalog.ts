// Every declaration compiled once; lookups, counts and availability. Immutable after compiling, apart from observers.
import { sha256Hex } from '../lib/hashing.ts'
import type { ChangeBus } from './bus.ts'
import { CompileError } from './compile-error.ts'
import { compileServer, type PlaceOptions } from './compile-server.ts'
import type { CompiledServer } from './compiled.ts'
import type { Caller, Clock, Ids, Log, Searchable } from './context.ts'
import { createEngine, type Engine, type EngineOptions } from './engine.ts'
import { ownInstructions, type InstructionsOf } from './instructions.ts'
import type { Middleware } from './middleware.ts'
import type { PipelineObserver } from './observe.ts'
import { originOf } from './origin.ts'
import type { Passable } from './pass.ts'
import { compileRouter, routerSize, type RouterOptions } from './router/router.ts'
import type { ServerDefinition } from './server.ts'
import type { Limits } from './tool.ts'
import type { WireTool } from './wire-tool.ts'

export type { CompiledServer } from './compiled.ts'

export interface CatalogOptions extends EngineOptions {
  /** Outermost, for every tool. */
  readonly middleware?: readonly Middleware[]
  /** Below a server's and a tool's own. */
  readonly limits?: Limits
  /** Mounts the router beside the servers. */
  readonly router?: RouterOptions
  /** What a caller is told when it connects. Asked with every connection, so it must be cheap. Default: the server's own words. */
  readonly instructions?: InstructionsOf
  /** Names that servers may `need`. */
  readonly availableNeeds?: Iterable<string>
}

export interface Unavailable {
  readonly id: string
  readonly missing: readonly string[]
}
export interface RuntimeStats {
  readonly active: number
  readonly waiting: number
  /** Handlers that still run after their slot was given to others. */
  readonly abandoned: number
  readonly locks: number
  readonly rests: number
  readonly restBytes: number
}

export interface Catalog {
  readonly servers: readonly CompiledServer[]
  /** By id, mount or alias, with or without the leading slash. */
  server(idOrAlias: string): CompiledServer | undefined
  /** Tools of our own, tools of sources, and both; how many the router shows instead, null without one. */
  counts(): { core: number; external: number; total: number; routerMode: number | null }
  /** Declared but not mounted, and why. */
  readonly unavailable: readonly Unavailable[]
  readonly searchables: readonly Searchable[]
  /** @throws RangeError for an unknown server */
  listTools(serverId: string, caller: Caller): readonly WireTool[]
  /** What this caller is told when it connects to a server. */
  readonly instructions: InstructionsOf
  /** Changes whenever anything that clients can list does. */
  readonly revision: string
  readonly bus: ChangeBus
  readonly clock: Clock
  readonly ids: Ids
  readonly log: Log
  /** Attaches an observer while running; the returned function takes it off again. */
  observe(observer: PipelineObserver): () => void
  stats(): RuntimeStats
  /** The same with one more server that only this process can reach: counted, listed and mounted nowhere. */
  beside(server: CompiledServer): Catalog
  /** For the runtime's own files. */
  readonly engine: Engine
  readonly place: PlaceOptions
}

const REVISION_CHARS = 16

/**
 * The only build step.
 * @throws CompileError naming the declarations at fault
 */
export function compileCatalog(definitions: readonly ServerDefinition[], options: CatalogOptions = {}): Catalog {
  const needs = new Set(options.availableNeeds)
  const missingOf = (definition: ServerDefinition) => (definition.needs ?? []).filter((need) => !needs.has(need))
  const available = definitions.filter((definition) => missingOf(definition).length === 0)
  const unavailable = definitions
    .filter((definition) => !available.includes(definition))
    .map((definition) => ({ id: definition.id, missing: missingOf(definition) }))
  const engine = createEngine(options, Object.freeze(available.flatMap((definition) => definition.searchables ?? [])))
  const place: PlaceOptions = {
    globalLimits: options.limits,
    confirm: engine.confirm,
    uris: available.flatMap((definition) => (definition.resources ?? []).map((resource) => resource.uri)),
    middlewares: options.middleware ?? [],
  }
  assertUniqueIds('resource', place.uris)
  assertUniqueIds(
    'searchable',
    engine.searchables.map((searchable) => searchable.id),
  )
  const parts = Map.groupBy(available, (definition) => definition.id)
  const own = [...parts.values()].map((group) => compileServer(group, place))
  const router = options.router === undefined ? [] : [compileRouter(own, options.router, place)]
  const servers = Object.freeze([...own, ...router])
  const { instructions = ownInstructions } = options
  return catalogOf(
    { servers, unavailable: Object.freeze(unavailable), engine, place, instructions },
    lookup(servers, available),
  )
}

function assertUniqueIds(kind: string, ids: readonly string[]): void {
  const twice = ids.find((id, index) => ids.indexOf(id) !== index)
  if (twice !== undefined) throw new CompileError(`${kind} "${twice}"`, 'it is declared twice')
}

/** Ids, mounts and aliases share one space: a request path must mean one server. */
function lookup(
  servers: readonly CompiledServer[],
  definitions: readonly ServerDefinition[],
): ReadonlyMap<string, CompiledServer> {
  const found = new Map<string, CompiledServer>()
  const claim = (name: string, server: CompiledServer) => {
    const other = found.get(name)
    if (other !== undefined && other !== server) {
      const places = definitions
        .filter((definition) => definition.id === other.id || definition.id === server.id)
        .map(originOf)
      throw new CompileError(`"${name}"`, `it stands for both ${other.id} and ${server.id} (${places.join(', ')})`)
    }
    found.set(name, server)
  }
  for (const server of servers) for (const path of [server.id, server.mount, ...server.aliases]) claim(path, server)
  for (const server of servers)
    for (const path of [server.mount, ...server.aliases]) if (path.length > 1) claim(path.slice(1), server)
  return found
}

function catalogOf(
  parts: Pick<Catalog, 'servers' | 'unavailable' | 'engine' | 'place' | 'instructions'>,
  found: ReadonlyMap<string, CompiledServer>,
): Catalog {
  const { servers, engine } = parts
  const revision = lastDigest()
  return Object.freeze({
    ...parts,
    server: (idOrAlias: string) => found.get(idOrAlias),
    counts() {
      const core = servers.reduce((sum, server) => sum + (server.derived ? 0 : server.tools.length), 0)
      const external = servers.reduce((sum, server) => sum + server.externalCount, 0)
      const router = servers.find((server) => server.derived)
      return { core, external, total: core + external, routerMode: router === undefined ? null : routerSize(router) }
    },
    searchables: engine.searchables,
    listTools(serverId: string, caller: Caller) {
      const server = found.get(serverId)
      if (server === undefined) throw new RangeError(`There is no server "${serverId}".`)
      return server.listTools(caller)
    },
    get revision() {
      return revision(servers.map((server) => `${server.id}:${server.revision}`).join('\n'))
    },
    bus: engine.bus,
    clock: engine.clock,
    ids: engine.ids,
    log: engine.log,
    observe: (observer: PipelineObserver) => engine.observe(observer),
    stats: () => statsOf(servers, engine),
    beside(server: CompiledServer) {
      if (found.has(server.id)) throw new CompileError(`"${server.id}"`, 'the name is taken: it belongs to the gateway')
      return catalogOf(parts, new Map([...found, [server.id, server]]))
    },
  })
}

/** Asked for often and changed hardly ever: the last digest is kept. */
function lastDigest(): (text: string) => string {
  let [known, digest]: [string | undefined, string] = [undefined, '']
  return (text) => {
    if (text !== known) [known, digest] = [text, sha256Hex(text).slice(0, REVISION_CHARS)]
    return digest
  }
}

function statsOf(servers: readonly CompiledServer[], engine: Engine): RuntimeStats {
  const guards = servers.flatMap((server) => server.guards())
  const sum = (read: (guard: Passable) => number | undefined) =>
    guards.reduce((total, guard) => total + (read(guard) ?? 0), 0)
  return {
    active: sum(({ semaphore }) => semaphore?.active),
    waiting: sum(({ semaphore, mutex }) => (semaphore?.waiting ?? 0) + (mutex?.waiting ?? 0)),
    abandoned: sum(({ semaphore }) => semaphore?.abandoned),
    locks: sum(({ mutex }) => mutex?.heldCount),
    rests: engine.rests.size,
    restBytes: engine.rests.bytes,
  }
}
