// Where the URL of an external server may lead. The operator may name this machine and the own network; what hands out the
// credentials of a cloud machine, and the gateway itself, never.
import { type BlockList, isIP } from 'node:net'
import { networkInterfaces } from 'node:os'
import { isLoopback, isWildcard, privateRanges, rangesOf } from '../config/network.ts'

/** `loopback` and `private` are for the operator's eyes: an AI client gets into the own network through such a server. */
export type Reach = 'public' | 'private' | 'loopback'

/** This gateway, so that it is not made a server of its own. */
export interface Self {
  /** Where it listens. */
  ports(): readonly number[]
  readonly publicUrl: URL | null
}

/** Link-local (RFC 3927, 4291), and the metadata services that clouds keep elsewhere (AWS over IPv6, Alibaba). */
const METADATA = ['169.254.0.0/16', 'fe80::/10', 'fd00:ec2::254', '100.100.100.200']
const METADATA_NAMES = new Set(['metadata', 'metadata.google.internal', 'metadata.goog', 'instance-data'])

let forbidden: BlockList | undefined
let own: BlockList | undefined

/** Whether no server may ever be at this address, whatever name led there. IPv4 inside IPv6 counts as IPv4. */
export function isForbiddenAddress(address: string): boolean {
  forbidden ??= rangesOf(METADATA)
  return isIn(forbidden, address)
}

/**
 * Reads the URL of a server.
 * @returns where it leads, or why it may not, to stand after `url` in a sentence
 */
export function reachOf(written: string, self: Self): { url: URL; reach: Reach } | string {
  const url = URL.parse(written)
  if (url === null) return 'is not a URL'
  if (!/^https?:$/.test(url.protocol)) return `begins with ${url.protocol} and must begin with http: or https:`
  if (url.username + url.password !== '') return 'holds a user name or password: put it into headers, as a secret'
  const host = url.hostname
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '')
    .toLowerCase()
  if (METADATA_NAMES.has(host) || isForbiddenAddress(host))
    return 'leads to link-local addresses, where machines of a cloud get their credentials'
  if (isSelf(url, host, self)) return 'leads to this gateway itself'
  return { url, reach: reach(host) }
}

function isSelf(url: URL, host: string, self: Self): boolean {
  if (self.publicUrl !== null && url.host === self.publicUrl.host) return true
  const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80))
  return self.ports().includes(port) && (reach(host) === 'loopback' || isOwnAddress(host))
}

function isOwnAddress(host: string): boolean {
  return Object.values(networkInterfaces()).some((all) => all?.some(({ address }) => address === host))
}

function reach(host: string): Reach {
  const plain = mapped(host) ?? host
  if (isLoopback(plain) || isWildcard(plain) || plain.endsWith('.localhost')) return 'loopback'
  own ??= privateRanges()
  if (isIn(own, plain)) return 'private'
  const isName = isIP(plain) === 0
  return isName && (!plain.includes('.') || /\.(local|lan|internal|home\.arpa)$/.test(plain)) ? 'private' : 'public'
}

/** The IPv4 address inside `::ffff:a9fe:a9fe`, as URLs spell it, and inside NAT64 (RFC 6052). */
function mapped(host: string): string | undefined {
  const [, high, low] = /^(?:::ffff:|64:ff9b::)([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(host) ?? []
  if (high === undefined || low === undefined) return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(host)?.[1]
  const bits = Number.parseInt(high, 16) * 0x1_0000 + Number.parseInt(low, 16)
  return [24, 16, 8, 0].map((shift) => (bits >>> shift) & 255).join('.')
}

function isIn(list: BlockList, address: string): boolean {
  const plain = mapped(address.toLowerCase().replace(/%.*$/, '')) ?? address.replace(/%.*$/, '')
  const family = isIP(plain)
  return family !== 0 && list.check(plain, family === 4 ? 'ipv4' : 'ipv6')
}
