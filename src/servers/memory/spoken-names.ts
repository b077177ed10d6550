// What a tool is called where a client is connected: by its own name on a direct mount, as tool and action where one tool
// stands for many. Text that names a tool which the client does not have is not told to it.
import type { Catalog } from '../../runtime/catalog.ts'
import type { CompiledServer } from '../../runtime/compiled.ts'
import type { Caller } from '../../runtime/context.ts'
import { accessOf, mayRun } from '../../runtime/steps/permit.ts'

/** Id of the server that shows every other one as a category tool. */
const ROUTER_ID = 'router'

/** Words that may be a tool of somebody; ours begin with the prefix of the house. */
const NAMES = /(?<![\w-])[a-z][a-z0-9]*(?:_[a-z0-9]+)+(?![\w-])/g
const PREFIX = 'crow_'

export interface Spoken {
  /** Names replaced by what they are called here; undefined when a tool is named that is not here. */
  speak(text: string): string | undefined
  /** What a tool is called here, by its public name. */
  nameOf(publicName: string): string | undefined
  /** Every tool that is listed here, and what it stands for. */
  readonly offers: readonly { readonly name: string; readonly summary: string }[]
  readonly style: 'direct' | 'router'
}

/** Name of the tool that stands for a server in the router. */
export function categoryName(server: Pick<CompiledServer, 'id'>): string {
  return `${PREFIX}${server.id.replaceAll('-', '_')}`
}

const groupName = (server: CompiledServer, caller: Caller): string | undefined =>
  server.grouped ? server.listTools(caller)[0]?.name : undefined

/** How tools are called on `served`, for this caller. */
export function spokenNames(catalog: Pick<Catalog, 'servers'>, served: CompiledServer, caller: Caller): Spoken {
  const style = served.id === ROUTER_ID ? 'router' : 'direct'
  const behind = served.derived ? served.parts : [served]
  const called = new Map<string, string>()
  const offers: { name: string; summary: string }[] = []
  for (const server of behind) {
    const usable = server.tools.filter((tool) => mayRun(tool, accessOf(tool, caller)))
    const group = style === 'router' ? categoryName(server) : groupName(server, caller)
    for (const { publicName, name } of usable)
      called.set(publicName, group === undefined ? publicName : `${group} ${name}`)
    if (usable.length > 0 || server.externalCount > 0)
      offers.push({ name: group ?? server.title ?? server.id, summary: server.summary })
  }
  for (const { name } of served.listTools(caller)) called.set(name, name)
  const known = new Set(
    catalog.servers.flatMap((server) => (server.derived ? [] : server.tools).map(({ publicName }) => publicName)),
  )
  const isTool = (word: string): boolean => word.startsWith(PREFIX) || known.has(word)
  return {
    style,
    offers,
    nameOf: (publicName) => called.get(publicName),
    speak(text) {
      const words = text.match(NAMES) ?? []
      if (words.some((word) => isTool(word) && !called.has(word))) return undefined
      return text.replaceAll(NAMES, (word) => called.get(word) ?? word)
    },
  }
}
