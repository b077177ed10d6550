// Network addresses: what one stands for when callers are counted, and where this machine reaches itself.
import { isIP, isIPv6 } from 'node:net'

/**
 * The address in a hop of X-Forwarded-For, where some proxies add the port: `203.0.113.9:4711`, `[2001:db8::1]:4711`.
 * @returns `unknown`, as proxies write it themselves (RFC 7239 §6.2), for whatever is no address
 */
export function addressOf(written: string): string {
  if (isIP(written) !== 0) return written
  const bare = /^(?:\[([^\]]+)\](?::\d+)?|([\d.]+):\d+)$/.exec(written)
  const address = bare?.[1] ?? bare?.[2] ?? ''
  return isIP(address) === 0 ? 'unknown' : address
}

/**
 * The key under which an address is counted: an IPv4 address as it is (also when mapped into IPv6), an IPv6 address by
 * its /64, because one household or host usually holds a whole one (RFC 6177).
 */
export function networkOf(address: string): string {
  if (!address.includes(':')) return address
  const plain = address.replace(/%.*$/, '').toLowerCase()
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(plain)?.[1]
  if (mapped !== undefined) return mapped
  if (!isIPv6(plain)) return plain
  const [head = '', tail] = plain.split('::')
  const left = head === '' ? [] : head.split(':')
  const right = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = tail === undefined ? [] : Array<string>(Math.max(0, 8 - left.length - right.length)).fill('0')
  return `${[...left, ...zeros, ...right]
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':')}::/64`
}

/** Address for clients on this machine; a wildcard bind is reached over loopback. */
export function localAddress(host: string, port: number): string {
  const reachable = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`
}
