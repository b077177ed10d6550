// Tells observers what an answered `tools/list` weighed, and what the tools behind it would have weighed by themselves.
import type { Catalog } from './catalog.ts'
import type { CompiledServer } from './compiled.ts'
import type { Caller } from './context.ts'
import type { WireTool } from './wire-tool.ts'

/** Lists are made once for each kind of access and never changed. */
const sizes = new WeakMap<readonly WireTool[], number>()

/** UTF-8 of the JSON of a list; counted when it is first asked for. */
export function listBytes(tools: readonly WireTool[]): number {
  const known = sizes.get(tools)
  if (known !== undefined) return known
  const bytes = Buffer.byteLength(JSON.stringify(tools))
  sizes.set(tools, bytes)
  return bytes
}

/**
 * UTF-8 of one list that holds every tool of these servers that this caller is shown, each by itself. Servers that only show
 * what others have add nothing.
 */
export function directListBytes(servers: readonly CompiledServer[], caller: Caller): number {
  let bytes = 1
  for (const server of servers) {
    if (server.derived) continue
    const tools = server.listTools(caller)
    // Every list has two brackets; joined, each but the first begins with a comma in the place of one of them.
    if (tools.length > 0) bytes += listBytes(tools) - 1
  }
  return Math.max(bytes, '[]'.length)
}

/**
 * Costs nothing while nobody observes lists.
 * @param sentBytes UTF-8 of the JSON array that goes out
 */
export function noteList(catalog: Catalog, served: CompiledServer, caller: Caller, sentBytes: () => number): void {
  const { hooks } = catalog.engine
  if (hooks === undefined || hooks.lists.length === 0) return
  const bytes = sentBytes()
  const directBytes = served.derived ? directListBytes(catalog.servers, caller) : bytes
  hooks.listed({ caller, mount: served.id, bytes, directBytes })
}
