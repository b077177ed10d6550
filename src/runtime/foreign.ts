// Foreign tools behind the same steps as our own: a snapshot per access level, replaced whole when the source's epoch
// moves. A call in flight keeps the tool it was resolved to.
import { deepFreeze, isRecord } from '../lib/json.ts'
import { annotationsOf, compose } from './compile.ts'
import type { ToolPlace } from './compile.ts'
import type { CompiledTool } from './compiled.ts'
import type { Caller } from './context.ts'
import { KeyedMutex } from './guards/keyed-mutex.ts'
import { Semaphore } from './guards/semaphore.ts'
import { resolveLimits } from './limits.ts'
import { ReadyReply, type Reply } from './reply.ts'
import { REFUSED } from './schema/parser.ts'
import type { ToolSource } from './source.ts'
import { accessOf, type AccessLevel } from './steps/permit.ts'
import type { Tool } from './tool.ts'
import { MORE_FIELD } from './wire-schema.ts'
import type { WireTool } from './wire-tool.ts'

export interface ForeignTools {
  readonly epoch: number
  list(caller: Caller): readonly CompiledTool[]
  find(name: string, caller: Caller): CompiledTool | undefined
}

interface Snapshot {
  readonly epoch: number
  readonly tools: readonly CompiledTool[]
  readonly byName: ReadonlyMap<string, CompiledTool>
}

export function foreignTools(source: ToolSource, place: ToolPlace): ForeignTools {
  const snapshots = new Map<AccessLevel, Snapshot>()
  /** Guards outlive snapshots: a new list must not double what runs at once. */
  const semaphores = new Map<string, Semaphore>()
  const snapshotFor = (caller: Caller): Snapshot => {
    const level = accessOf({ scope: place.server, readScope: `${place.server}:read`, peers: place.peers }, caller)
    const known = snapshots.get(level)
    if (known !== undefined && known.epoch === source.epoch) return known
    const { epoch } = source
    const tools = source.list(caller).map((definition) => compileForeign(source, definition, place, semaphores))
    const byName = new Map(tools.flatMap((tool) => [[tool.publicName, tool] as const, [tool.name, tool] as const]))
    const snapshot = { epoch, tools, byName }
    snapshots.set(level, snapshot)
    return snapshot
  }
  return {
    get epoch() {
      return source.epoch
    },
    list: (caller) => snapshotFor(caller).tools,
    find: (name, caller) => snapshotFor(caller).byName.get(name),
  }
}

function compileForeign(
  source: ToolSource,
  definition: WireTool,
  place: ToolPlace,
  semaphores: Map<string, Semaphore>,
): CompiledTool {
  const { name: publicName } = definition
  const limits = resolveLimits(`source ${source.id}`, place.globalLimits, place.serverLimits)
  const semaphore = semaphores.get(publicName) ?? new Semaphore(limits.activeMax, limits.queueMax)
  semaphores.set(publicName, semaphore)
  const effect = source.effect?.(publicName) ?? 'write'
  const declaration: Tool = Object.freeze({
    name: publicName.startsWith(place.prefix) ? publicName.slice(place.prefix.length) : publicName,
    summary: definition.title ?? publicName,
    description: definition.description,
    effect,
    asks: true,
    handle: async (input: object, ctx: Parameters<Tool['handle']>[1]) =>
      asResult(await source.call(publicName, input, ctx)),
  })
  const { properties } = definition.inputSchema
  const compiled: CompiledTool = {
    name: declaration.name,
    publicName,
    server: place.server,
    effect,
    definition: deepFreeze({ annotations: annotationsOf(effect), ...structuredClone(definition) }),
    signature: publicName,
    declaration,
    canAsk: true,
    shape: { kind: 'object', fields: [] },
    parse: (value: unknown) => (isRecord(value) ? value : REFUSED),
    oneOf: undefined,
    chain: compose(place.middlewares, declaration),
    middlewareIds: place.middlewares.map((middleware) => middleware.id),
    limits,
    semaphore,
    mutex: effect === 'destroy' ? new KeyedMutex(limits.queueMax) : undefined,
    presenter: undefined,
    parseOutput: undefined,
    invalidates: [],
    scope: place.server,
    readScope: `${place.server}:read`,
    peers: place.peers,
    continues: !isRecord(properties) || !Object.hasOwn(properties, MORE_FIELD),
  }
  return Object.freeze(compiled)
}

function asResult(result: Awaited<ReturnType<ToolSource['call']>>): object {
  return isReply(result) ? new ReadyReply(result) : result
}

function isReply(result: object): result is Reply {
  return 'content' in result && Array.isArray(result.content)
}
