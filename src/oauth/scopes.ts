// What access can be asked for: a server, one external server shown by it, or reading on either. External servers come and go
// while the gateway runs, so nothing here is computed before it is asked for.
import { EVERY_SERVER } from './addresses.ts'

export interface ScopedServer {
  readonly id: string
  readonly title?: string | undefined
  /** Whether it shows other servers: access to it is access to those. */
  readonly derived?: boolean
  /** The external servers it shows, as they are at this moment. */
  readonly areas?: readonly { readonly id: string; readonly title: string }[]
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
  /** The same without what is only a part of something else that is offered: enough for who asks for nothing in particular. */
  usual(server: string): readonly string[]
  /** What it means, for people: one sentence. */
  sentenceOf(scope: string): string
  /** What the audience is called, for people. */
  nameOf(server: string): string
}

/** `memory`, `memory:read`, `tools:github`, `tools:github:read`, and so on. */
export function scopesOf(servers: readonly ScopedServer[]): string[] {
  return servers.flatMap(({ id, derived, areas = [] }) => {
    if (derived === true) return []
    const names = [id, ...areas.map((area) => `${id}:${area.id}`)]
    // An area of that name would mean reading everywhere.
    return names.filter((name) => !isReading(name)).flatMap((name) => [name, name + READ])
  })
}

/** The same, and what only the owner's own programs can be given. */
export const localScopesOf = (servers: readonly ScopedServer[]): readonly string[] =>
  Object.freeze([...scopesOf(servers), INTROSPECT])

/** Whether a scope only lets read. */
export const isReading = (scope: string): boolean => scope.endsWith(READ)

export function createScopes(servers: readonly ScopedServer[]): Scopes {
  const titles = new Map(servers.map(({ id, title }) => [id, title ?? id]))
  const titleOfArea = (place: string): string | undefined => {
    const [id = '', area] = place.split(':')
    const found = servers.find((server) => server.id === id)?.areas?.find((each) => each.id === area)
    return found?.title ?? area
  }
  const spanning = new Set([EVERY_SERVER, ...servers.filter(({ derived }) => derived === true).map(({ id }) => id)])
  const offered = (server: string): readonly string[] => {
    const all = scopesOf(servers)
    return spanning.has(server) ? all : all.filter((scope) => serverIn(scope) === server)
  }
  return {
    get all() {
      return scopesOf(servers)
    },
    get local() {
      return localScopesOf(servers)
    },
    offered,
    usual: (server) => offered(server).filter((scope) => placeIn(scope) === serverIn(scope)),
    sentenceOf(scope) {
      if (scope === INTROSPECT) return 'Ask what a token of this gateway is worth (introspection).'
      const area = titleOfArea(placeIn(scope))
      if (area !== undefined)
        return isReading(scope)
          ? `Use ${area} to read, and change nothing there.`
          : `Use ${area} for whatever it can do, with your access to it.`
      const title = titles.get(serverIn(scope)) ?? serverIn(scope)
      return isReading(scope)
        ? `Read what is in ${title}, and change nothing.`
        : `Read, write and delete what is in ${title}.`
    },
    nameOf: (server) => (server === EVERY_SERVER ? 'every server of this gateway' : (titles.get(server) ?? server)),
  }
}

/** The names in a scope parameter (RFC 6749 §3.3), each once. */
export function splitScopes(written: unknown): string[] {
  return typeof written === 'string' ? [...new Set(written.split(' ').filter((scope) => scope !== ''))] : []
}

/** Names that can be asked for but are unknown at this audience. */
export function unknownScopes(asked: readonly string[], offered: readonly string[]): string[] {
  return asked.filter((scope) => scope !== OFFLINE && !offered.includes(scope))
}

/** Whether these scopes let do anything at all on a server. */
export const opens = (scopes: ReadonlySet<string> | 'all', server: string): boolean =>
  scopes === 'all' || [...scopes].some((scope) => serverIn(scope) === server)

/** `memory`, or `tools:github`. */
const placeIn = (scope: string): string => (isReading(scope) ? scope.slice(0, -READ.length) : scope)

const serverIn = (scope: string): string => placeIn(scope).split(':', 1).join()
