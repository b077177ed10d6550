// One foreign tool behind the same steps as our own. Its schema and its results are data: passed on, checked by their owner.
import { deepFreeze, isRecord } from '../lib/json.ts'
import { guardOf } from './areas.ts'
import { compose, type ToolPlace } from './compile.ts'
import type { CompiledTool } from './compiled.ts'
import type { KeyedMutex } from './guards/keyed-mutex.ts'
import type { Semaphore } from './guards/semaphore.ts'
import { isReply, ReadyReply, type Reply } from './reply.ts'
import { REFUSED } from './schema/parser.ts'
import type { ToolSource } from './source.ts'
import type { Effect, Tool } from './tool.ts'
import { plainSchema, wellFormed } from './well-formed.ts'
import { MORE_FIELD } from './wire-schema.ts'
import type { ToolAnnotations, WireTool } from './wire-tool.ts'

/** They outlive lists: a new one, or another kind of access, must not double what runs at once. */
export interface Guards {
  readonly semaphore: Semaphore
  readonly mutex: KeyedMutex
}

export interface ForeignParts {
  readonly source: ToolSource
  readonly definition: WireTool
  readonly place: ToolPlace
  readonly limits: CompiledTool['limits']
  readonly guards: Guards
}

export function compileForeign({ source, definition, place, limits, guards }: ForeignParts): CompiledTool {
  const { name: publicName } = definition
  const effect = source.effect?.(publicName) ?? 'write'
  // Data of a stranger, whatever its type says.
  const title: unknown = definition.title
  const declaration: Tool = Object.freeze({
    name: publicName.startsWith(place.prefix) ? publicName.slice(place.prefix.length) : publicName,
    summary: typeof title === 'string' ? title : publicName,
    description: definition.description,
    effect,
    asks: true,
    handle: (input: object, ctx: Parameters<Tool['handle']>[1]) => source.call(publicName, input, ctx).then(asResult),
  })
  const { properties } = definition.inputSchema
  const server = { scope: place.server, readScope: `${place.server}:read`, peers: place.peers }
  const area = source.areaOf?.(publicName)
  const compiled: CompiledTool = {
    name: declaration.name,
    publicName,
    server: place.server,
    effect,
    definition: deepFreeze(listed(definition, effect)),
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
    ...guardOf(server, area),
    isForeign: true,
    source: area ?? source.id,
    origin: () => source.originOf?.(publicName),
    continues: !isRecord(properties) || !Object.hasOwn(properties, MORE_FIELD),
  }
  return Object.freeze(compiled)
}

/** With every field that it came with, and nothing that a strict client would refuse the whole list for. */
function listed(definition: WireTool, effect: Effect): WireTool {
  const { annotations: own, ...copy } = structuredClone(definition)
  const inputSchema = plainSchema(copy.inputSchema)
  return { ...wellFormed({ ...copy, inputSchema }), annotations: foreignAnnotations(own, effect) }
}

/** What the operator approved, not what the tool says of itself. */
function foreignAnnotations(own: WireTool['annotations'], effect: Effect): ToolAnnotations {
  const title = own?.title
  return {
    ...(typeof title === 'string' ? { title } : {}),
    readOnlyHint: effect === 'read',
    destructiveHint: effect === 'destroy',
    openWorldHint: true,
  }
}

function asResult(result: Awaited<ReturnType<ToolSource['call']>>): object {
  return isReply(result) ? new ReadyReply(plain(result)) : result
}

/** Which kind of result it is, the wire of whoever called says anew. */
function plain(reply: Reply): Reply {
  if (!('resultType' in reply)) return reply
  const { resultType: _type, ...rest } = reply
  return rest
}
