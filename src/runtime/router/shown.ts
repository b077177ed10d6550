// What the router lists for a caller, by their profile: its category tools, every tool by its own name, or some by theirs beside
// the categories. A list depends on the catalog, the profile and the scopes; nothing that anybody calls moves it.
import type { CompiledServer, CompiledTool } from '../compiled.ts'
import type { Caller } from '../context.ts'
import { listsOver, type ListOf } from '../derived.ts'
import { bytesPerToken } from '../ledger/factors.ts'
import type { Profile } from '../profiles/profile.ts'
import { accessOf, mayRun } from '../steps/permit.ts'
import type { WireTool } from '../wire-tool.ts'

/** What a router can list. */
export interface Shelf {
  readonly servers: readonly CompiledServer[]
  /** The tool that a call of this name runs when no category has the name. */
  readonly find: (name: string, caller: Caller) => CompiledTool | undefined
  readonly isCategory: (name: string) => boolean
  /** The category tools, which do not mention what is pinned. */
  readonly categories: (caller: Caller, pinned: ReadonlySet<CompiledTool>) => readonly WireTool[]
}

export interface Shown {
  readonly listOf: (caller: Caller) => ListOf
  /** Whether this caller is shown every tool by its own name. */
  readonly isDirect: (caller: Caller) => boolean
}

/** @param profileOf asked with every list; a profile that stays the same stays the same object */
export function shownBy(shelf: Shelf, profileOf: (caller: Caller) => Profile): Shown {
  const { servers } = shelf
  const lists = new WeakMap<Profile, (caller: Caller) => ListOf>()
  const listsUnder = (profile: Profile): ((caller: Caller) => ListOf) => {
    const known = lists.get(profile)
    if (known !== undefined) return known
    const made = listsOver(
      () => servers,
      (caller) =>
        fitsDirect(servers, profile, caller) ? directList(shelf, caller) : routedList(shelf, profile, caller),
    )
    lists.set(profile, made)
    return made
  }
  return {
    listOf: (caller) => listsUnder(profileOf(caller))(caller),
    isDirect: (caller) => fitsDirect(servers, profileOf(caller), caller),
  }
}

function fitsDirect(servers: readonly CompiledServer[], { mode, budgetTokens }: Profile, caller: Caller): boolean {
  return mode === 'direct' || (mode === 'auto' && directTokens(servers, caller) <= budgetTokens)
}

/** About how many tokens the tools of these servers take by their own names: their bytes by what was measured, so it is the same everywhere. */
export function directTokens(servers: readonly CompiledServer[], caller: Caller): number {
  return servers.reduce(
    (sum, server) => sum + Math.ceil(Buffer.byteLength(server.toolsListJson(caller)) / bytesPerToken(server.id)),
    0,
  )
}

/** Only what a call of its name would run: the first of two that are called alike, and none that is called like a category. */
function directList({ servers, find, isCategory }: Shelf, caller: Caller): WireTool[] {
  return servers.flatMap((server) => {
    const tools = server.listTools(caller)
    if (server.grouped) return tools
    return tools.filter((tool) => !isCategory(tool.name) && find(tool.name, caller)?.definition === tool)
  })
}

/** Pins come last, in the order of the catalog: the same ones make the same bytes, and what stands before them stays. */
function routedList(shelf: Shelf, { pins }: Profile, caller: Caller): WireTool[] {
  const pinned = pinnedTools(shelf, pins, caller)
  return [...shelf.categories(caller, new Set(pinned)), ...pinned.map((tool) => tool.definition)]
}

function pinnedTools({ servers, find, isCategory }: Shelf, pins: readonly string[], caller: Caller): CompiledTool[] {
  if (pins.length === 0) return []
  const wanted = new Set(pins.filter((name) => !isCategory(name)).map((name) => find(name, caller)))
  return servers.flatMap((server) =>
    server.usable(caller).filter((tool) => wanted.has(tool) && mayRun(tool, accessOf(tool, caller))),
  )
}
