// The router: a server derived from all others, one tool for each of them. It runs nothing itself; a call resolves to the
// inner tool, which is permitted, guarded and recorded exactly once.
import { deepFreeze } from '../../lib/json.ts'
import { compileTool } from '../compile.ts'
import { everyone, type PlaceOptions } from '../compile-server.ts'
import type { CompiledServer, CompiledTool } from '../compiled.ts'
import type { Caller } from '../context.ts'
import { accessKeyOver, accessOver, foreignOver, revisionOver } from '../derived.ts'
import { DEFAULT_PROFILE, type Profile } from '../profiles/profile.ts'
import type { WireTool } from '../wire-tool.ts'
import { compileCategory, type Category } from './category.ts'
import { discoverTool, NO_INSTANCES } from './discover.ts'
import { LIST_GRAMMAR, linesOf } from './notation.ts'
import { shownBy } from './shown.ts'
import type { MakeToolIndex } from './tool-search.ts'

export const ROUTER = 'router'
/** The category of everything foreign. */
const TOOLS = 'tools'
const PREFIX = 'crow_'

export interface RouterOptions {
  readonly makeIndex: MakeToolIndex
  /** What a caller is shown; the same object until the owner changes it. Default: the category tools. */
  readonly profileOf?: (caller: Caller) => Profile
}

/** @param servers what it stands for, in order */
export function compileRouter(
  servers: readonly CompiledServer[],
  { makeIndex, profileOf = () => DEFAULT_PROFILE }: RouterOptions,
  options: PlaceOptions,
): CompiledServer {
  const categories = categoriesOf(servers)
  const groups = new Map<string, Category>()
  for (const category of categories)
    for (const name of [category.id, ...category.aliases]) groups.set(publicNameOf(name), category)
  const access = accessOver(() => servers)
  const discover = discoverOf(categories, { makeIndex, access }, options)
  const names = new Map([discover.name, discover.publicName].map((name) => [name, discover]))
  const find = (name: string, caller: Caller = everyone): CompiledTool | undefined =>
    names.get(name) ?? findByItself(servers, name, caller)
  const shown = shownBy(
    {
      servers,
      find,
      isCategory: (name) => groups.has(name),
      categories: (caller, pinned) => [...shownTo(categories, caller, pinned), discover.definition],
    },
    profileOf,
  )
  const [first] = servers
  return Object.freeze({
    id: ROUTER,
    mount: `/${ROUTER}`,
    aliases: [],
    prefix: PREFIX,
    title: 'Crow',
    summary: 'Every server through one tool each',
    instructions: undefined,
    scope: first?.scope ?? ROUTER,
    readScope: first?.readScope ?? `${ROUTER}:read`,
    peers: servers.some((server) => server.peers),
    access,
    accessKey: accessKeyOver(() => servers),
    ...foreignOver(servers),
    derived: true,
    profiled: { profileOf, isDirect: shown.isDirect },
    parts: servers,
    grouped: false,
    group: (name: string) => groups.get(name),
    resources: Object.freeze(servers.flatMap((server) => server.resources)),
    templates: Object.freeze(servers.flatMap((server) => server.templates)),
    prompts: Object.freeze(servers.flatMap((server) => server.prompts)),
    tools: Object.freeze([discover]),
    externalCount: 0,
    guards: () => [discover],
    get revision() {
      return revisionOver(servers)
    },
    find,
    usable: (caller: Caller) => (access(caller) === 'none' ? [] : [discover]),
    listTools: (caller: Caller) => (access(caller) === 'none' ? [] : shown.listOf(caller).tools),
    toolsListJson: (caller: Caller) => (access(caller) === 'none' ? '[]' : shown.listOf(caller).json),
  })
}

const publicNameOf = (id: string): string => `${PREFIX}${id.replaceAll('-', '_')}`

/** One for each server with tools of its own, one for all that is foreign. */
function categoriesOf(servers: readonly CompiledServer[]): readonly Category[] {
  const foreign = servers.filter((server) => server.tools.length === 0)
  const others = (): readonly Category[] => categories
  const own = servers
    .filter((server) => server.tools.length > 0)
    .map((server) =>
      compileCategory({
        id: server.id,
        publicName: publicNameOf(server.id),
        summary: server.summary,
        aliases: server.aliases.map((alias) => alias.slice(1)).filter((alias) => alias !== ''),
        servers: [server],
        others,
      }),
    )
  const tools = compileCategory({
    id: TOOLS,
    publicName: publicNameOf(TOOLS),
    summary: 'Tools of connected integrations',
    aliases: [],
    servers: foreign,
    others,
    missing: (given) => (given['instance_id'] === undefined ? 'No integrations are connected.' : NO_INSTANCES),
  })
  const categories = Object.freeze([...own, tools])
  return categories
}

/** What a reply says to call again goes by its own name, and works by it. */
function findByItself(servers: readonly CompiledServer[], name: string, caller: Caller): CompiledTool | undefined {
  for (const server of servers) {
    const tool = server.find(name, caller)
    if (tool?.publicName === name) return tool
  }
  return undefined
}

function discoverOf(
  categories: readonly Category[],
  { makeIndex, access }: RouterOptions & Pick<CompiledServer, 'access'>,
  options: PlaceOptions,
): CompiledTool {
  const place = { ...options, server: ROUTER, prefix: PREFIX, peers: true, serverLimits: undefined }
  const compiled = compileTool(
    discoverTool(() => categories, makeIndex),
    place,
  )
  return Object.freeze({ ...compiled, definition: deepFreeze(leanly(compiled.definition)), reach: access })
}

/** Every category that has more for this caller than is pinned; what is foreign also while nothing is there, because it comes and goes. */
function shownTo(categories: readonly Category[], caller: Caller, pinned: ReadonlySet<CompiledTool>): WireTool[] {
  return categories.flatMap((category) => {
    const tools = category.usable(caller)
    const routed = pinned.size === 0 ? tools : tools.filter((tool) => !pinned.has(tool))
    const isWaiting = tools.length === 0 && category.id === TOOLS
    return routed.length === 0 && !isWaiting ? [] : [definitionOf(category, routed)]
  })
}

const inputSchema = deepFreeze({
  type: 'object',
  properties: { action: { type: 'string' }, params: { type: 'object' } },
  required: ['action'],
})

const toolsSchema = deepFreeze({
  ...inputSchema,
  properties: { ...inputSchema.properties, instance_id: { type: 'string' } },
})

function definitionOf(category: Category, tools: readonly CompiledTool[]): WireTool {
  const lines = linesOf(tools, category.id)
  const annotations = hintsOf(tools)
  return {
    name: category.publicName,
    description: [tools.length === 0 ? 'No integrations are connected.' : LIST_GRAMMAR, ...lines].join('\n'),
    inputSchema: category.id === TOOLS ? toolsSchema : inputSchema,
    ...(annotations === undefined ? {} : { annotations }),
  }
}

/** Only where they differ from what a client assumes of a tool that says nothing: it may destroy (MCP, ToolAnnotations). */
function hintsOf(tools: readonly CompiledTool[]): WireTool['annotations'] {
  if (tools.length === 0) return undefined
  if (tools.every((tool) => tool.effect === 'read')) return { readOnlyHint: true }
  return tools.some((tool) => tool.effect === 'destroy') ? undefined : { destructiveHint: false }
}

const text = { type: 'string' }

/** Bounds are checked, and told when they are passed; every conversation pays for saying them. */
const leanly = ({ name, description }: WireTool): WireTool => ({
  name,
  description,
  inputSchema: { type: 'object', properties: { category: text, action: text, query: text } },
  annotations: { readOnlyHint: true },
})

/** How many tools the router shows to the owner. */
export const routerSize = (router: CompiledServer): number => router.listTools(everyone).length
