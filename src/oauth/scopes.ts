// What access can be asked for: a server, or reading on a server. Pure decisions over the list of servers.
import type { Effect } from '../runtime/tool.ts'
import { EVERY_SERVER } from './addresses.ts'

export interface ScopedServer {
  readonly id: string
  readonly title?: string | undefined
  /** Whether it shows other servers: access to it is access to those. */
  readonly derived?: boolean
}

/** Keeps a client connected; grants nothing by itself (OpenID Connect Core §11). */
export const OFFLINE = 'offline_access'
/** Lets a program of the owner ask what a token is worth (RFC 7662). For local tokens only. */
export const INTROSPECT = 'introspect'
const READ = ':read'

export interface Scopes {
  /** Every scope of every server. */
  readonly all: readonly string[]
  /** What a local token can be given. */
  readonly local: readonly string[]
  /** What can be asked for at one server, or at all of them. */
  offered(server: string): readonly string[]
  /** What it means, for people: one sentence. */
  sentenceOf(scope: string): string
  /** What the audience is called, for people. */
  nameOf(server: string): string
}

/** `memory`, `memory:read`, and so on. */
export function scopesOf(servers: readonly ScopedServer[]): string[] {
  return servers.flatMap(({ id, derived }) => (derived === true ? [] : [id, id + READ]))
}

/** The same, and what only the owner's own programs can be given. */
export const localScopesOf = (servers: readonly ScopedServer[]): readonly string[] =>
  Object.freeze([...scopesOf(servers), INTROSPECT])

/** Whether a scope only lets read. */
export const isReading = (scope: string): boolean => scope.endsWith(READ)

export function createScopes(servers: readonly ScopedServer[]): Scopes {
  const titles = new Map(servers.map(({ id, title }) => [id, title ?? id]))
  const all = Object.freeze(scopesOf(servers))
  const spanning = new Set([EVERY_SERVER, ...servers.filter(({ derived }) => derived === true).map(({ id }) => id)])
  return {
    all,
    local: localScopesOf(servers),
    offered: (server) => (spanning.has(server) ? all : all.filter((scope) => serverIn(scope) === server)),
    sentenceOf(scope) {
      if (scope === INTROSPECT) return 'Ask what a token of this gateway is worth (introspection).'
      const title = titles.get(serverIn(scope)) ?? serverIn(scope)
      return isReading(scope)
        ? `Read what is in ${title}, and change nothing.`
        : `Read, write and delete what is in ${title}.`
    },
    nameOf: (server) => (server === EVERY_SERVER ? 'every server of this gateway' : (titles.get(server) ?? server)),
  }
}

/** Whether these scopes let do something of this effect on a server: `memory` covers `memory:read`. */
export function permits(scopes: ReadonlySet<string> | 'all', server: string, effect: Effect): boolean {
  return scopes === 'all' || scopes.has(server) || (effect === 'read' && scopes.has(server + READ))
}

/** The names in a scope parameter (RFC 6749 §3.3), each once. */
export function splitScopes(written: unknown): string[] {
  return typeof written === 'string' ? [...new Set(written.split(' ').filter((scope) => scope !== ''))] : []
}

/** Names that can be asked for but are unknown at this audience. */
export function unknownScopes(asked: readonly string[], offered: readonly string[]): string[] {
  return asked.filter((scope) => scope !== OFFLINE && !offered.includes(scope))
}

const serverIn = (scope: string): string => (isReading(scope) ? scope.slice(0, -READ.length) : scope)
