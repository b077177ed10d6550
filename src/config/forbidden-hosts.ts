// Where nothing that the owner configures may ever lead: to what hands out the credentials of a cloud machine.
import { type BlockList, isIP } from 'node:net'
import { rangesOf } from './network.ts'

/** Link-local (RFC 3927, 4291), and the metadata services that clouds keep elsewhere (AWS over IPv6, Alibaba). */
const METADATA = ['169.254.0.0/16', 'fe80::/10', 'fd00:ec2::254', '100.100.100.200']
const METADATA_NAMES = new Set(['metadata', 'metadata.google.internal', 'metadata.goog', 'instance-data'])

let forbidden: BlockList | undefined

/**
 * Whether a host of a URL, or an address that its name was resolved to, is such a place. IPv4 inside IPv6 counts as IPv4.
 * @param host as `URL.hostname` spells it, or an address
 */
export function isForbiddenHost(host: string): boolean {
  const plain = plainHost(host)
  forbidden ??= rangesOf(METADATA)
  return METADATA_NAMES.has(plain) || isInRanges(forbidden, plain)
}

/** In lower case, without brackets, zone or last dot. */
export function plainHost(host: string): string {
  return host
    .replace(/^\[|\]$/g, '')
    .replace(/%.*$/, '')
    .replace(/\.$/, '')
    .toLowerCase()
}

/** @param plain a name or address as `plainHost` gives it; a name is in no range */
export function isInRanges(ranges: BlockList, plain: string): boolean {
  const address = ipv4Inside(plain) ?? plain
  const family = isIP(address)
  return family !== 0 && ranges.check(address, family === 4 ? 'ipv4' : 'ipv6')
}

/** The IPv4 address inside `::ffff:a9fe:a9fe`, as URLs spell it, and inside NAT64 (RFC 6052). */
export function ipv4Inside(address: string): string | undefined {
  const [, high, low] = /^(?:::ffff:|64:ff9b::)([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(address) ?? []
  if (high === undefined || low === undefined) return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(address)?.[1]
  const bits = Number.parseInt(high, 16) * 0x1_0000 + Number.parseInt(low, 16)
  return [24, 16, 8, 0].map((shift) => (bits >>> shift) & 255).join('.')
}
