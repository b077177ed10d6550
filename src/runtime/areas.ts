// Access to a server whose tools come from several external servers: each of those has scopes inside the server's own. Areas
// come and go, so everything here is asked anew when a source moves.
import type { Caller } from './context.ts'
import type { SourceArea, ToolSource } from './source.ts'
import { accessOf, mostOf, type AccessLevel, type Guarded } from './steps/permit.ts'

/** What it takes to use something of an area; without one, something of the server. */
export function guardOf(server: Guarded, area: string | undefined): Guarded {
  if (area === undefined) return server
  const scope = `${server.scope}:${area}`
  return { scope, readScope: `${scope}:read`, peers: server.peers, within: server }
}

export interface Reach {
  readonly areas: readonly SourceArea[]
  /** The most that the caller may do anywhere on the server. */
  readonly access: (caller: Caller) => AccessLevel
  /** Equal for callers that are shown the same: their access everywhere, and what their client can be asked. */
  readonly key: (caller: Caller) => string
}

interface Known {
  readonly epochs: readonly number[]
  readonly access: AccessLevel
  readonly key: string
}

/** @param sources of the server; without any, its own scopes are all there is */
export function reachOf(server: Guarded, sources: readonly ToolSource[]): Reach {
  const areasNow = (): readonly SourceArea[] => sources.flatMap((source) => source.areas?.() ?? [])
  if (sources.length === 0) {
    const access = (caller: Caller): AccessLevel => accessOf(server, caller)
    return { areas: [], access, key: access }
  }
  // Callers are objects that stay while their token is known, so this is what a request costs.
  const known = new WeakMap<Caller, Known>()
  const knownOf = (caller: Caller): Known => {
    const last = known.get(caller)
    if (last !== undefined && sources.every(({ epoch }, index) => epoch === last.epochs[index])) return last
    const own = accessOf(server, caller)
    const levels = areasNow().map(({ id }) => [id, accessOf(guardOf(server, id), caller)] as const)
    const more = levels.filter(([, level]) => level !== own)
    const fresh = {
      epochs: sources.map(({ epoch }) => epoch),
      access: mostOf([own, ...levels.map(([, level]) => level)]),
      key: [own, ...more.map((each) => each.join('=')), `|${caller.abilities ?? ''}`].join(' '),
    }
    known.set(caller, fresh)
    return fresh
  }
  return {
    get areas() {
      return areasNow()
    },
    access: (caller) => knownOf(caller).access,
    key: (caller) => knownOf(caller).key,
  }
}
