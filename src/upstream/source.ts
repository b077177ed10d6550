// The one source of tools that the catalog serves for all external servers.
import { mirroredHeaders } from '../lib/mirrored-parameters.ts'
import type { Caller, ToolContext } from '../runtime/context.ts'
import { fault } from '../runtime/fault.ts'
import type { SourceArea, ToolSource } from '../runtime/source.ts'
import type { Abilities } from './abilities.ts'
import { argumentsOf, metaFor } from './bridge.ts'
import { contentOver } from './content.ts'
import type { External } from './external.ts'
import { showingOver, type ToolRoute } from './shelf.ts'
import type { Found } from './watches.ts'

/** Also the name of the server that shows it, and of its scopes. */
export const SOURCE_ID = 'tools'

export interface SourceParts {
  readonly epoch: () => number
  readonly all: () => ReadonlyMap<string, External>
  /** What a public address leads to. */
  readonly find: (uri: string) => Found | undefined
  /** Finds out in the background what callers of a kind are shown. */
  readonly learn: (external: External, abilities: Abilities) => void
  readonly watch: (uri: string) => () => void
}

export function sourceOver(parts: SourceParts): ToolSource {
  const showing = showingOver(parts)
  const routeOf = (name: string): ToolRoute | undefined => showing().routes.tools.get(name)
  return Object.freeze({
    id: SOURCE_ID,
    get epoch() {
      return parts.epoch()
    },
    list: (caller: Caller) => showing().shownTo(caller).tools,
    effect: (name: string) => (routeOf(name)?.tool.isRead === true ? ('read' as const) : ('write' as const)),
    areas: (): readonly SourceArea[] =>
      Array.from(parts.all().values(), ({ spec: { id, title } }) => Object.freeze({ id, title })),
    areaOf: (name: string) => routeOf(name)?.external.spec.id,
    originOf(name: string) {
      const route = routeOf(name)
      if (route === undefined) return undefined
      const { external, tool } = route
      const { instructions } = external.definitions.peer ?? {}
      return {
        area: external.spec.id,
        title: external.spec.title,
        original: tool.original,
        inputSchema: tool.inputSchema,
        ...(instructions === undefined ? {} : { instructions }),
      }
    },
    content: contentOver(parts.find, showing, parts.watch),
    statuses: () => Array.from(parts.all().values(), (external) => external.status()),
    call(name: string, params: unknown, ctx: ToolContext) {
      const route = routeOf(name)
      if (route === undefined) return Promise.resolve(fault('UNKNOWN_TOOL', `${name} is not there any more.`))
      const { external, tool } = route
      const meta = metaFor(ctx)
      return external.bridge.carry(
        {
          method: 'tools/call',
          params: {
            name: tool.original,
            arguments: argumentsOf(params),
            ...(meta === undefined ? {} : { _meta: meta }),
          },
          subject: name,
          isRead: tool.isRead,
          timeoutMs: tool.timeoutMs,
          asks: true,
          follows: true,
          ...(tool.mirrored.length === 0 ? {} : { mirrored: mirroredHeaders(tool.mirrored, params) }),
          finish: (result) => external.toolReply(tool, result),
        },
        ctx,
      )
    },
  })
}
