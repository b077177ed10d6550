// What a tool is called where a client is connected: by its own name on a direct mount, as tool and action where one tool
// stands for many. Text that names a tool which the client does not have is not told to it.
import type { Catalog } from '../../runtime/catalog.ts'
import type { CompiledServer } from '../../runtime/compiled.ts'
import type { Caller } from '../../runtime/context.ts'
import { shortName } from '../../runtime/router/notation.ts'

/** Words that may be a tool of somebody; ours begin with the prefix of the house. */
const NAMES = /(?<![\w-])[a-z][a-z0-9]*(?:_[a-z0-9]+)+(?![\w-])/g
const PREFIX = 'crow_'

export interface Spoken {
  /** Names replaced by what they are called here; undefined when a tool is named that is not here. */
  readonly speak: (text: string) => string | undefined
  /** What a tool is called here, by its public name. */
  readonly nameOf: (publicName: string) => string | undefined
  /** Every tool that is listed here, and what it stands for. */
  readonly offers: readonly { readonly name: string; readonly summary: string }[]
  readonly style: 'direct' | 'router'
}

/** Name of the tool that stands for a server in the router. */
export function categoryName({ id }: Pick<CompiledServer, 'id'>): string {
  return `${PREFIX}${id.replaceAll('-', '_')}`
}

/** The tool on `served` that stands for those of `server`; undefined where they stand for themselves. */
function groupName(
  served: CompiledServer,
  server: CompiledServer,
  shown: readonly { readonly name: string }[],
): string | undefined {
  if (!served.derived) return served.grouped ? shown[0]?.name : undefined
  return shown.find(({ name }) => name === categoryName(server))?.name
}

/** How tools are called on `served`, for this caller. */
export function spokenNames(catalog: Pick<Catalog, 'servers'>, served: CompiledServer, caller: Caller): Spoken {
  const called = new Map<string, string>()
  const offers: { name: string; summary: string }[] = []
  const shown = served.listTools(caller)
  const isDirect = !served.derived || served.profiled?.isDirect(caller) === true
  for (const server of served.derived ? served.parts : [served]) {
    const usable = server.usable(caller)
    const group = groupName(served, server, shown)
    // What is foreign comes and goes, and no text of ours names it.
    const isOurs = isDirect ? !served.derived || server.tools.length > 0 : group !== undefined
    if (!isOurs) continue
    for (const { publicName, name } of usable)
      called.set(publicName, group === undefined ? publicName : `${group} ${shortName(name, server.id)}`)
    if (usable.length > 0) offers.push({ name: group ?? server.title ?? server.id, summary: server.summary })
  }
  for (const { name } of shown) called.set(name, name)
  const known = new Set(catalog.servers.flatMap((server) => server.tools.map(({ publicName }) => publicName)))
  const isTool = (word: string): boolean => word.startsWith(PREFIX) || known.has(word)
  return {
    style: isDirect ? 'direct' : 'router',
    offers,
    nameOf: (publicName) => called.get(publicName),
    speak: (text) => {
      const words = text.match(NAMES) ?? []
      if (words.some((word) => isTool(word) && !called.has(word))) return undefined
      return text.replaceAll(NAMES, (word) => called.get(word) ?? word)
    },
  }
}
