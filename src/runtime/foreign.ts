// Foreign tools behind the same steps as our own: a snapshot per access level, replaced whole when the source's epoch
// moves. A call in flight keeps the tool it was resolved to.
import { deepFreeze, isRecord } from '../lib/json.ts'
import { compose } from './compile.ts'
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
import type { Effect, Tool } from './tool.ts'
import { MORE_FIELD } from './wire-schema.ts'
import type { ToolAnnotations, WireTool } from './wire-tool.ts'

export interface ForeignTools {
  readonly epoch: number
  list(caller: Caller): readonly CompiledTool[]
  find(name: string, caller: Caller): CompiledTool | undefined
  /** Of every tool that is listed or still runs. */
  guards(): readonly Guards[]
}

/** They outlive snapshots: a new list, or another access level's, must not double what runs at once. */
interface Guards {
  readonly semaphore: Semaphore
  readonly mutex: KeyedMutex
}

interface Snapshot {
  readonly epoch: number
  readonly tools: readonly CompiledTool[]
  readonly byName: ReadonlyMap<string, CompiledTool>
}

export function foreignTools(source: ToolSource, place: ToolPlace): ForeignTools {
  const snapshots = new Map<AccessLevel, Snapshot>()
  const limits = resolveLimits(`source ${source.id}`, place.globalLimits, place.serverLimits)
  const guards = new Map<string, Guards>()
  const guardsOf = (name: string): Guards => {
    const known = guards.get(name)
    if (known !== undefined) return known
    const made = {
      semaphore: new Semaphore(limits.activeMax, limits.queueMax),
      mutex: new KeyedMutex(limits.queueMax),
    }
    guards.set(name, made)
    return made
  }
  const forgetUnlisted = (): void => {
    for (const [name, each] of guards)
      if (isIdle(each) && ![...snapshots.values()].some((snapshot) => snapshot.byName.has(name))) guards.delete(name)
  }
  const guarded = { scope: place.server, readScope: `${place.server}:read`, peers: place.peers }
  const snapshotFor = (caller: Caller): Snapshot => {
    const level = accessOf(guarded, caller)
    const known = snapshots.get(level)
    if (known !== undefined && known.epoch === source.epoch) return known
    const { epoch } = source
    const tools = source
      .list(caller)
      .map((definition) => compileForeign({ source, definition, place, limits, guards: guardsOf(definition.name) }))
    const byName = new Map(tools.flatMap((tool) => [[tool.publicName, tool] as const, [tool.name, tool] as const]))
    const snapshot = { epoch, tools, byName }
    snapshots.set(level, snapshot)
    forgetUnlisted()
    return snapshot
  }
  return {
    get epoch() {
      return source.epoch
    },
    list: (caller) => snapshotFor(caller).tools,
    find: (name, caller) => snapshotFor(caller).byName.get(name),
    guards: () => [...guards.values()],
  }
}

function isIdle({ semaphore, mutex }: Guards): boolean {
  return semaphore.active + semaphore.waiting + semaphore.abandoned + mutex.heldCount === 0
}

interface ForeignParts {
  readonly source: ToolSource
  readonly definition: WireTool
  readonly place: ToolPlace
  readonly limits: CompiledTool['limits']
  readonly guards: Guards
}

function compileForeign({ source, definition, place, limits, guards }: ForeignParts): CompiledTool {
  const { name: publicName } = definition
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
    definition: deepFreeze({ ...structuredClone(definition), annotations: foreignAnnotations(definition, effect) }),
    inputSchema: definition.inputSchema,
    signature: publicName,
    declaration,
    canAsk: true,
    shape: { kind: 'object', fields: [] },
    parse: (value: unknown) => (isRecord(value) ? value : REFUSED),
    oneOf: undefined,
    chain: compose(place.middlewares, declaration),
    middlewareIds: place.middlewares.map((middleware) => middleware.id),
    limits,
    semaphore: guards.semaphore,
    mutex: effect === 'destroy' ? guards.mutex : undefined,
    presenter: undefined,
    parseOutput: undefined,
    invalidates: [],
    scope: place.server,
    readScope: `${place.server}:read`,
    peers: place.peers,
    isForeign: true,
    source: source.id,
    continues: !isRecord(properties) || !Object.hasOwn(properties, MORE_FIELD),
  }
  return Object.freeze(compiled)
}

/** What the operator approved, not what the tool says of itself. */
function foreignAnnotations({ annotations }: WireTool, effect: Effect): ToolAnnotations {
  const title = annotations?.title
  return {
    ...(title === undefined ? {} : { title }),
    readOnlyHint: effect === 'read',
    destructiveHint: effect === 'destroy',
    openWorldHint: true,
  }
}

function asResult(result: Awaited<ReturnType<ToolSource['call']>>): object {
  return isReply(result) ? new ReadyReply(result) : result
}

function isReply(result: object): result is Reply {
  return 'content' in result && Array.isArray(result.content)
}
