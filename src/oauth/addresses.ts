// Every public URL of this gateway, and what a resource URL of a client means. Pure: made here and nowhere else.

import { isIP } from 'node:net'
import { isRecord } from '../lib/json.ts'
import { isProfileName, profileQuery } from '../runtime/profiles/profile.ts'

/** A server as far as its addresses go. */
export interface AddressedServer {
  readonly id: string
  /** Path below which `/mcp` and `/sse` are served; `/` for the root. */
  readonly mount: string
  readonly aliases: readonly string[]
  /** Set where an address may name a profile, as its query. */
  readonly profiled?: object
}

export interface Addresses {
  /** Identifier of the authorization server (RFC 8414 §2), without a trailing slash. */
  readonly issuer: string
  /** Path of the issuer; empty at the root. */
  readonly basePath: string
  /** The one audience of a server, whichever of its URLs a client names; of the whole gateway for `all`. */
  readonly audienceOf: (server: string) => string
  /** The server a resource URL means; `all` for the issuer itself; undefined for anything unknown. */
  readonly serverOf: (resource: string) => string | undefined
  /**
   * Absolute URL of a path of ours for one request.
   * @param hostHeader believed only without a public URL, and only when it names a host that is served
   */
  readonly urlFor: (path: string, hostHeader?: string) => string
  /** The protected-resource document of a path of ours, as a challenge names it (RFC 9728 §5.1). */
  readonly metadataUrlOf: (path: string, hostHeader?: string) => string
  /**
   * What a query says of a profile at a path of ours, as part of the address of the resource: `?profile=direct`. Empty where
   * it says nothing, nothing well-formed, or the path has none.
   */
  readonly profileIn: (path: string, query: unknown) => string
  /** Every path that is a protected resource, with its server. */
  readonly resources: readonly { readonly path: string; readonly server: string }[]
}

export interface AddressOptions {
  readonly publicUrl: URL | null
  /** Names without port, IPv6 in brackets. */
  readonly allowedHosts: readonly string[]
  readonly servers: readonly AddressedServer[]
  /** What else is opened by a token for a server. */
  readonly documents?: readonly { readonly path: string; readonly server: string }[]
  /** Where the gateway listens: names the issuer without a public URL. */
  readonly bind: string
  /** The port that is listened on; asked when it is needed. */
  readonly port: () => number
}

/** The resource that stands for every server. */
export const EVERY_SERVER = 'all'
export const RESOURCE_METADATA = '/.well-known/oauth-protected-resource'
const ENDPOINTS = ['mcp', 'sse'] as const
const PROFILE = profileQuery('')

export function createAddresses(options: AddressOptions): Addresses {
  const { publicUrl, allowedHosts, servers, bind, port, documents = [] } = options
  const resources = Object.freeze([...servers.flatMap(resourcesOf), ...documents])
  const serverAt = new Map(resources.map(({ path, server }) => [path, server]))
  const canonical = new Map(servers.map(({ id, mount }) => [id, pathOf(mount, ENDPOINTS[0])]))
  const basePath = publicUrl === null ? '' : publicUrl.pathname.replace(/\/+$/, '')
  const fixed = publicUrl === null ? undefined : publicUrl.origin + basePath
  const hosts = new Set(allowedHosts)
  const profiled = new Set(servers.flatMap(({ id, profiled: takes }) => (takes === undefined ? [] : [id])))
  const issuer = (): string => fixed ?? `http://${hostOf(bind)}:${port()}`
  const isOurs = (url: URL): boolean =>
    publicUrl === null
      ? url.protocol === 'http:' && hosts.has(url.hostname) && Number(url.port || 80) === port()
      : url.origin === publicUrl.origin
  const urlFor = (path: string, hostHeader?: string): string => (fixed ?? baseOf(hosts, hostHeader) ?? issuer()) + path
  return {
    get issuer() {
      return issuer()
    },
    basePath,
    resources,
    urlFor,
    metadataUrlOf: (path, hostHeader) => urlFor(RESOURCE_METADATA + path, hostHeader),
    audienceOf(server) {
      return issuer() + (server === EVERY_SERVER ? '' : (canonical.get(server) ?? `/${server}/mcp`))
    },
    serverOf(resource) {
      const { address, profile } = partsOf(resource)
      const url = URL.parse(address)
      if (url === null || !isOurs(url) || /[?#]/.test(address) || url.username + url.password !== '') return undefined
      const path = url.pathname.replace(/\/+$/, '')
      if (path !== basePath && !path.startsWith(`${basePath}/`)) return undefined
      const own = path.slice(basePath.length)
      const server = own === '' ? EVERY_SERVER : serverAt.get(own)
      // A profile changes what is shown, not what may be done: the resource is the same, under any name that one can have.
      return profile === undefined || (server !== undefined && profiled.has(server)) ? server : undefined
    },
    profileIn(path, query) {
      const server = serverAt.get(path)
      const name = isRecord(query) ? query['profile'] : undefined
      const isNamed = typeof name === 'string' && isProfileName(name)
      return isNamed && server !== undefined && profiled.has(server) ? profileQuery(name) : ''
    },
  }
}

/** Splits off the query that names a profile, written exactly so; any other stays, and is refused with its address. */
function partsOf(resource: string): { readonly address: string; readonly profile?: string } {
  const at = resource.lastIndexOf('?')
  const name = at === -1 ? '' : resource.slice(at + PROFILE.length)
  const isProfile = at !== -1 && resource.startsWith(PROFILE, at) && isProfileName(name)
  return isProfile ? { address: resource.slice(0, at), profile: name } : { address: resource }
}

/** The name to call this machine by, for whoever may connect to it there. */
function hostOf(bind: string): string {
  if (/^(localhost|0\.0\.0\.0|\[?::\]?|\*)$/.test(bind)) return '127.0.0.1'
  return isIP(bind) === 6 ? `[${bind.toLowerCase()}]` : bind.toLowerCase()
}

/** The base that a Host header means, when the name in it is one of ours. */
function baseOf(hosts: ReadonlySet<string>, header: string | undefined): string | undefined {
  const match = /^(\[[0-9a-f:.]+\]|[^\s:/?#@\\[\]]+)(:\d{1,5})?$/i.exec(header ?? '')
  const name = match?.[1]?.toLowerCase()
  return name !== undefined && hosts.has(name) ? `http://${name}${match?.[2] ?? ''}` : undefined
}

function resourcesOf({ id, mount, aliases }: AddressedServer): { path: string; server: string }[] {
  return [mount, ...aliases].flatMap((at) => ENDPOINTS.map((endpoint) => ({ path: pathOf(at, endpoint), server: id })))
}

/** `/memory` and `mcp` make `/memory/mcp`; `/` and `mcp` make `/mcp`. */
const pathOf = (mount: string, endpoint: string): string => `${mount === '/' ? '' : mount}/${endpoint}`
