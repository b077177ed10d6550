// Names, origins and addresses that the configuration admits. Pure decisions, no look-ups.
import { BlockList, isIP } from 'node:net'

const LOOPBACK_NAMES = ['localhost', '127.0.0.1', '[::1]'] as const

/** Whether a bind address or host name means this machine only. */
export function isLoopback(host: string): boolean {
  const bare = host.replace(/^\[|\]$/g, '').toLowerCase()
  return bare === 'localhost' || bare === '::1' || (isIP(bare) === 4 && bare.startsWith('127.'))
}

/** Whether a bind address means every interface. */
export function isWildcard(host: string): boolean {
  return /^(0\.0\.0\.0|\[?::\]?|\*)$/.test(host)
}

/** A host as it stands in a URL or Host header: lower case, IPv6 in brackets. */
export function urlHost(host: string): string {
  return isIP(host) === 6 ? `[${host.toLowerCase()}]` : host.toLowerCase()
}

/** Names, without port, that a Host header may carry. */
export function allowedHosts(bind: string, publicUrl: URL | null, more: readonly string[]): string[] {
  const names = new Set<string>(LOOPBACK_NAMES)
  if (!isWildcard(bind)) names.add(urlHost(bind))
  if (publicUrl !== null) names.add(publicUrl.hostname)
  for (const name of more) names.add(urlHost(name.replace(/:\d+$/, (port) => (isIP(name) === 6 ? port : ''))))
  return [...names]
}

/**
 * The serialized origin (RFC 6454) a list entry means, or undefined when it is none. Programs that are no web sites have
 * schemes of their own (`app://obsidian.md`), which are compared as they are written.
 */
export function originOf(written: string): string | undefined {
  if (!/^https?:/i.test(written))
    return /^[a-z][a-z0-9+.-]*:\/\/[\w.-]+(:\d+)?$/i.test(written) ? written.toLowerCase() : undefined
  const url = URL.parse(written)
  if (url === null || url.hostname.includes('*') || url.username + url.password + url.search + url.hash !== '')
    return undefined
  return url.pathname === '/' ? url.origin : undefined
}

/** Whether a text is an address or CIDR range: `10.0.0.0/8`, `::1`. Everybody (`/0`) is no range. */
export function isRange(written: string): boolean {
  const [address = '', prefix, ...rest] = written.split('/')
  const family = isIP(address)
  if (family === 0 || rest.length > 0) return false
  if (prefix === undefined) return true
  return /^\d{1,3}$/.test(prefix) && Number(prefix) >= 1 && Number(prefix) <= (family === 4 ? 32 : 128)
}

/** Addresses and CIDR ranges as `isRange` takes them. */
export function rangesOf(written: readonly string[]): BlockList {
  const ranges = new BlockList()
  for (const range of written) {
    const [address = '', prefix] = range.split('/')
    const family = isIP(address) === 4 ? 'ipv4' : 'ipv6'
    if (prefix === undefined) ranges.addAddress(address, family)
    else ranges.addSubnet(address, Number(prefix), family)
  }
  return ranges
}

/** Addresses that are not of the public internet: loopback, private, link-local, shared (RFC 1918, 3927, 4193, 6598). */
export function privateRanges(): BlockList {
  return rangesOf([
    '127.0.0.0/8',
    '10.0.0.0/8',
    '172.16.0.0/12',
    '192.168.0.0/16',
    '169.254.0.0/16',
    '100.64.0.0/10',
    '::1',
    'fc00::/7',
    'fe80::/10',
  ])
}
