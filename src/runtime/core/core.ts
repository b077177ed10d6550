// `core`: one server for a client that starts a process. It begins with the tools of one server, and shows those of others
// when it is asked to. It runs nothing itself but the three tools that choose: every other call resolves to the inner tool,
// which is permitted, guarded and recorded exactly once.
import type { Catalog } from '../catalog.ts'
import { compileTool } from '../compile.ts'
import { everyone } from '../compile-server.ts'
import type { CompiledServer, CompiledTool } from '../compiled.ts'
import type { Caller } from '../context.ts'
import { accessKeyOver, accessOver, foreignOver, listsOver, revisionOver } from '../derived.ts'
import type { WireTool } from '../wire-tool.ts'
import { activatable, ActiveServers, serverNamed } from './active.ts'
import { switchTools } from './tools.ts'

export const CORE = 'core'
const PREFIX = 'crow_'

/** What was active when a client ended, by the client's own name. */
export interface ActivationStore {
  /** Ids in the order in which they were activated. */
  recall(client: string): readonly string[]
  /** Never rejects: what cannot be kept is no reason to refuse what was asked for. */
  keep(client: string, server: string, isActive: boolean): Promise<void>
}

export interface CoreOptions {
  /** Id of the server that is always active; one of the catalog. */
  readonly defaultServer: string
  readonly store?: ActivationStore
}

export interface Core {
  /** The catalog with `core` in it. */
  readonly catalog: Catalog
  /** The client has said its name: what was active when it ended is active again. Only the first name counts. */
  readonly greet: (client: string) => void
}

/**
 * Makes the server of one process; its state is that of the process.
 * @throws RangeError when there is no such default server
 */
export function createCore(catalog: Catalog, { defaultServer, store }: CoreOptions): Core {
  const all = activatable(catalog.servers)
  const home = serverNamed(all, defaultServer)
  if (home === undefined) throw new RangeError(`There is no server "${defaultServer}".`)
  const active = new ActiveServers(all, home)
  let client: string | undefined
  const changed = async (server: CompiledServer, isActive: boolean): Promise<void> => {
    announce(catalog, server)
    if (client !== undefined) await store?.keep(client, server.id, isActive)
  }
  const size = (caller: Caller): number => server.listTools(caller).length
  const place = { ...catalog.place, server: CORE, prefix: PREFIX, peers: false, serverLimits: undefined }
  const own = switchTools({ active, size, changed }).map((tool) => compileTool(tool, place))
  const server = serverOf(active, Object.freeze(own))
  return {
    catalog: catalog.beside(server),
    greet(name) {
      if (client !== undefined) return
      client = name
      for (const id of store?.recall(name) ?? []) {
        const known = all.find((each) => each.id === id)
        if (known === undefined || active.has(known)) continue
        active.activate(known)
        announce(catalog, known)
      }
    },
  }
}

/** Only for what the server has: a client that is told fetches the list again. */
function announce({ bus }: Catalog, { prompts, resources, templates }: CompiledServer): void {
  bus.emit({ kind: 'tools' })
  if (prompts.length > 0) bus.emit({ kind: 'prompts' })
  if (resources.length + templates.length > 0) bus.emit({ kind: 'resources' })
}

function serverOf(active: ActiveServers, own: readonly CompiledTool[]): CompiledServer {
  const { all, home } = active
  const parts = (): readonly CompiledServer[] => active.list
  const names = new Map(own.flatMap((tool) => [tool.name, tool.publicName].map((name) => [name, tool] as const)))
  const access = accessOver(parts)
  const shown = (caller: Caller): WireTool[] => [
    ...own.map((tool) => tool.definition),
    ...parts().flatMap((part) => part.listTools(caller)),
  ]
  const lists = listsOver(parts, (caller) => (access(caller) === 'none' ? [] : onceEach(shown(caller))))
  return Object.freeze({
    id: CORE,
    mount: `/${CORE}`,
    aliases: [],
    prefix: PREFIX,
    title: 'Crow',
    summary: 'One server, and others when they are needed',
    instructions: home.instructions,
    scope: home.scope,
    readScope: home.readScope,
    peers: false,
    access,
    accessKey: accessKeyOver(parts),
    // Like what is said once when a client connects: all that can ever be shown.
    ...foreignOver(all),
    get contents() {
      return foreignOver(parts()).contents
    },
    derived: true,
    listsMove: true as const,
    get parts() {
      return parts()
    },
    grouped: false,
    group: (name: string) => firstOf(parts(), (part) => part.group(name)),
    // All that can ever be shown, for what is said once when a client connects; its lists are made from the parts.
    resources: Object.freeze(all.flatMap((server) => server.resources)),
    templates: Object.freeze(all.flatMap((server) => server.templates)),
    prompts: Object.freeze(all.flatMap((server) => server.prompts)),
    tools: own,
    externalCount: 0,
    guards: () => own,
    get revision() {
      return revisionOver(parts())
    },
    find: (name: string, caller: Caller = everyone) => names.get(name) ?? findIn(parts(), name, caller),
    whereabouts: (name: string, caller: Caller) => hiddenIn(active, name, caller),
    usable: (caller: Caller) =>
      access(caller) === 'none' ? [] : [...own, ...parts().flatMap((part) => part.usable(caller))],
    listTools: (caller: Caller) => lists(caller).tools,
    toolsListJson: (caller: Caller) => lists(caller).json,
  })
}

/** A name means the tool that is called so exactly, before one of which it is a short form. */
function findIn(parts: readonly CompiledServer[], name: string, caller: Caller): CompiledTool | undefined {
  const found = parts.flatMap((part) => part.find(name, caller) ?? [])
  return found.find((tool) => tool.publicName === name) ?? found[0]
}

/** Two servers may call a tool alike; a call then means the one that was active first, and so does the list. */
function onceEach(tools: readonly WireTool[]): WireTool[] {
  const names = new Set<string>()
  return tools.filter(({ name }) => !names.has(name) && names.add(name))
}

/** A model that knows a tool from before is told how to get it back. */
function hiddenIn(active: ActiveServers, name: string, caller: Caller): string | undefined {
  const server = active.all.find(
    (each) => !active.has(each) && each.listTools(caller).some((tool) => tool.name === name),
  )
  return server === undefined ? undefined : `${PREFIX}activate_server with server "${server.id}" shows it.`
}

function firstOf<Item, Found>(items: readonly Item[], find: (item: Item) => Found | undefined): Found | undefined {
  for (const item of items) {
    const found = find(item)
    if (found !== undefined) return found
  }
  return undefined
}
