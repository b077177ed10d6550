// Where the URL of an external server may lead. The operator may name this machine and the own network; what hands out the
// credentials of a cloud machine, and the gateway itself, never.
import { type BlockList, isIP } from 'node:net'
import { networkInterfaces } from 'node:os'
import { ipv4Inside, isForbiddenHost, isInRanges, plainHost } from '../config/forbidden-hosts.ts'
import { isLoopback, isWildcard, privateRanges } from '../config/network.ts'

/** `loopback` and `private` are for the operator's eyes: an AI client gets into the own network through such a server. */
export type Reach = 'public' | 'private' | 'loopback'

/** This gateway, so that it is not made a server of its own. */
export interface Self {
  /** Where it listens. */
  ports(): readonly number[]
  readonly publicUrl: URL | null
}

let own: BlockList | undefined

/**
 * Reads the URL of a server.
 * @returns where it leads, or why it may not, to stand after `url` in a sentence
 */
export function reachOf(written: string, self: Self): { url: URL; reach: Reach } | string {
  const url = URL.parse(written)
  if (url === null) return 'is not a URL'
  if (!/^https?:$/.test(url.protocol)) return `begins with ${url.protocol} and must begin with http: or https:`
  if (url.username + url.password !== '') return 'holds a user name or password: put it into headers, as a secret'
  const host = plainHost(url.hostname)
  if (isForbiddenHost(host)) return 'leads to link-local addresses, where machines of a cloud get their credentials'
  if (isSelf(url, host, self)) return 'leads to this gateway itself'
  return { url, reach: reach(host) }
}

function isSelf(url: URL, host: string, self: Self): boolean {
  if (self.publicUrl !== null && url.host === self.publicUrl.host) return true
  const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80))
  return self.ports().includes(port) && (reach(host) === 'loopback' || isOwnAddress(host))
}

/** Whether a host is an address of this machine that others may reach too. */
export function isOwnAddress(host: string): boolean {
  return Object.values(networkInterfaces()).some((all) => all?.some(({ address }) => address === host))
}

function reach(host: string): Reach {
  const plain = ipv4Inside(host) ?? host
  if (isLoopback(plain) || isWildcard(plain) || plain.endsWith('.localhost')) return 'loopback'
  own ??= privateRanges()
  if (isInRanges(own, plain)) return 'private'
  const isName = isIP(plain) === 0
  return isName && (!plain.includes('.') || /\.(local|lan|internal|home\.arpa)$/.test(plain)) ? 'private' : 'public'
}
