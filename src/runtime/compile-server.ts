// Compiles the parts of one server into what is mounted: merged tools, lookups, and lists serialised per access level.
import { deepFreeze } from '../lib/json.ts'
import { sha256Hex } from '../lib/hashing.ts'
import { Recent } from '../lib/recent.ts'
import { reachOf, type Reach } from './areas.ts'
import { CompileError } from './compile-error.ts'
import { compileTool, keyOf, type ToolPlace } from './compile.ts'
import type { CompiledServer, CompiledTool } from './compiled.ts'
import type { Caller } from './context.ts'
import { foreignTools, type ForeignTools } from './foreign.ts'
import { contentsOf } from './foreign-content.ts'
import { compileGroup, groupDefinition } from './grouped.ts'
import { originOf } from './origin.ts'
import type { ServerDefinition } from './server.ts'
import { accessOf, mayRun, type Guarded } from './steps/permit.ts'
import type { ToolSource } from './source.ts'
import type { Tool } from './tool.ts'
import type { WireTool } from './wire-tool.ts'

const REVISION_CHARS = 16
/** Who counts and lists on behalf of the process itself. */
export const everyone: Caller = Object.freeze({ id: 'gateway', kind: 'local', scopes: 'all' })

/** Settings that belong to the server as a whole; parts may leave them out but not contradict each other. */
const shared = ['mount', 'prefix', 'title', 'summary', 'instructions', 'grouped', 'peers'] as const

export type PlaceOptions = Pick<ToolPlace, 'globalLimits' | 'confirm' | 'uris'> & {
  readonly middlewares: ToolPlace['middlewares']
}

/** @param parts at least one, all with the same id. @throws CompileError */
export function compileServer(parts: readonly ServerDefinition[], options: PlaceOptions): CompiledServer {
  const [first, ...others] = parts
  if (first === undefined) throw new CompileError('server', 'it has no part')
  for (const part of others) assertAgreement(first, part)
  const placeOf = (part: ServerDefinition): ToolPlace => ({
    ...options,
    server: first.id,
    prefix: first.prefix,
    peers: first.peers === true,
    serverLimits: part.limits,
    middlewares: [...options.middlewares, ...(part.use ?? [])],
  })
  assertUnique(parts)
  const tools = parts
    .flatMap((part) => part.tools.map((tool) => compileTool(tool, placeOf(part))))
    .toSorted(byPublicName)
  const guarded = { scope: first.id, readScope: `${first.id}:read`, peers: parts.some(({ peers }) => peers === true) }
  const sources = parts.flatMap(({ source }) => source ?? [])
  const reach = reachOf(guarded, sources)
  const foreign = parts.flatMap((part) =>
    part.source === undefined ? [] : [foreignTools(part.source, placeOf(part), reach)],
  )
  return serverOf(first, parts, Object.freeze(tools), { foreign, sources, guarded, reach })
}

/** What a server has from elsewhere, and what it takes to use it. */
interface Elsewhere {
  readonly foreign: readonly ForeignTools[]
  readonly sources: readonly ToolSource[]
  readonly guarded: Guarded
  readonly reach: Reach
}

function assertAgreement(first: ServerDefinition, part: ServerDefinition): void {
  for (const key of shared) {
    const [one, two] = [first[key], part[key]]
    if (one !== undefined && two !== undefined && one !== two) {
      throw new CompileError(
        `server "${first.id}"`,
        `its parts disagree on ${key}: ${originOf(first)} says ${JSON.stringify(one)}, ${originOf(part)} says ${JSON.stringify(two)}`,
      )
    }
  }
}

function assertUnique(parts: readonly ServerDefinition[]): void {
  const known = new Map<string, Tool>()
  for (const tool of parts.flatMap((part) => part.tools)) {
    const name = keyOf(tool).replaceAll('.', '_')
    const other = known.get(name)
    if (other !== undefined)
      throw new CompileError(`tool "${keyOf(tool)}"`, `it is declared twice: ${originOf(other)} and ${originOf(tool)}`)
    known.set(name, tool)
  }
}

function byPublicName(left: { publicName: string }, right: { publicName: string }): number {
  return left.publicName < right.publicName ? -1 : 1
}

function serverOf(
  first: ServerDefinition,
  parts: readonly ServerDefinition[],
  tools: readonly CompiledTool[],
  { foreign, sources, guarded, reach }: Elsewhere,
): CompiledServer {
  const { id, prefix } = first
  const pick = <Key extends (typeof shared)[number]>(key: Key) => parts.find((part) => part[key] !== undefined)?.[key]
  const names = nameMap(id, tools)
  const find = (name: string, caller: Caller = everyone) => names.get(name) ?? findForeign(foreign, name, caller)
  const usableBy = (caller: Caller): readonly CompiledTool[] =>
    [...tools, ...foreign.flatMap((source) => source.list(caller))]
      .filter((tool) => mayRun(tool, accessOf(tool, caller)))
      .toSorted(byPublicName)
  const publicName = `${prefix}${id}`.replaceAll('-', '_')
  const group = pick('grouped') === true ? compileGroup(publicName, usableBy, find) : undefined
  const revision = revisionOf(parts, tools)
  const lists = listCache(
    (caller) => {
      const usable = usableBy(caller)
      if (group === undefined) return usable.map((tool) => tool.definition)
      return usable.length === 0 ? [] : [groupDefinition(publicName, first.summary, usable)]
    },
    reach,
    foreign,
  )
  return Object.freeze({
    id,
    mount: first.mount,
    aliases: Object.freeze([...new Set(parts.flatMap((part) => part.aliases))]),
    prefix,
    title: pick('title'),
    summary: first.summary,
    instructions: pick('instructions'),
    ...guarded,
    access: reach.access,
    accessKey: reach.key,
    hasSources: sources.length > 0,
    contents: contentsOf(sources, guarded, reach),
    get areas() {
      return reach.areas
    },
    statuses: () => sources.flatMap((source) => source.statuses?.() ?? []),
    derived: false,
    parts: [],
    grouped: group !== undefined,
    group: (name: string) => (group?.publicName === name ? group : undefined),
    resources: Object.freeze(parts.flatMap((part) => part.resources ?? [])),
    templates: Object.freeze(parts.flatMap((part) => part.templates ?? [])),
    prompts: Object.freeze(parts.flatMap((part) => part.prompts ?? [])),
    tools,
    get externalCount() {
      return foreign.reduce((sum, source) => sum + source.list(everyone).length, 0)
    },
    guards: () => [...tools, ...foreign.flatMap((source) => source.guards())],
    get revision() {
      return [revision, ...foreign.map((source) => source.epoch)].join('.')
    },
    find,
    usable: usableBy,
    listTools: (caller: Caller) => lists(caller).tools,
    toolsListJson: (caller: Caller) => lists(caller).json,
  })
}

/** Over everything that a client can list. */
function revisionOf(parts: readonly ServerDefinition[], tools: readonly CompiledTool[]): string {
  const lists = parts.map((part) => [part.resources, part.templates, part.prompts, part.instructions, part.grouped])
  return sha256Hex(JSON.stringify([tools.map((tool) => tool.definition), lists])).slice(0, REVISION_CHARS)
}

function findForeign(foreign: readonly ForeignTools[], name: string, caller: Caller): CompiledTool | undefined {
  for (const source of foreign) {
    const found = source.find(name, caller)
    if (found !== undefined) return found
  }
  return undefined
}

/** Bare and public names first; then, where nobody else claims it, the name without the server's own in front. */
function nameMap(id: string, tools: readonly CompiledTool[]): ReadonlyMap<string, CompiledTool> {
  const names = new Map<string, CompiledTool>()
  for (const tool of tools)
    for (const name of [tool.name, tool.publicName, tool.name.replaceAll('.', '_')]) names.set(name, tool)
  const own = `${id.replaceAll('-', '_')}_`
  const short = tools
    .filter((tool) => tool.name.startsWith(own))
    .map((tool) => [tool.name.slice(own.length), tool] as const)
  for (const [name, tool] of short) if (!names.has(name)) names.set(name, tool)
  return names
}

interface ListOf {
  readonly key: string
  readonly tools: readonly WireTool[]
  readonly json: string
}

/** Lists kept ready: one per kind of access that has asked. */
const LISTS_MAX = 32

/** Callers that are shown the same get one list, until a source's epoch moves. */
function listCache(
  make: (caller: Caller) => readonly WireTool[],
  reach: Reach,
  foreign: readonly ForeignTools[],
): (caller: Caller) => ListOf {
  const lists = new Recent<string, ListOf>(LISTS_MAX)
  return (caller) => {
    const kind = reach.key(caller)
    const key = foreign.length === 0 ? '' : foreign.map((source) => source.epoch).join('.')
    const known = lists.get(kind)
    if (known !== undefined && known.key === key) return known
    const tools = deepFreeze([...make(caller)])
    const list = { key, tools, json: JSON.stringify(tools) }
    lists.set(kind, list)
    return list
  }
}
