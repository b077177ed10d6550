// Which addresses are of the public internet, so that a fetch on somebody else's word never reaches into a private network.
import { BlockList, isIP } from 'node:net'

/** Special-purpose blocks of IPv4 that are not globally reachable, and multicast (IANA registry of RFC 6890, RFC 5771). */
const NOT_PUBLIC_IPV4 = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.31.196.0', 24],
  ['192.52.193.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['192.175.48.0', 24],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const

/** Inside the global unicast block of IPv6, what is not reachable or carries an IPv4 address inside. */
const NOT_PUBLIC_IPV6 = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['2620:4f:8000::', 48],
  ['3fff::', 20],
] as const

const GLOBAL_UNICAST = ['2000::', 3] as const

interface Blocks {
  readonly refused: BlockList
  readonly unicast: BlockList
}

function blocks(): Blocks {
  const [refused, unicast] = [new BlockList(), new BlockList()]
  for (const [address, bits] of NOT_PUBLIC_IPV4) refused.addSubnet(address, bits, 'ipv4')
  for (const [address, bits] of NOT_PUBLIC_IPV6) refused.addSubnet(address, bits, 'ipv6')
  unicast.addSubnet(...GLOBAL_UNICAST, 'ipv6')
  return { refused, unicast }
}

/**
 * A test for addresses in their usual spelling. An IPv6 address is public inside 2000::/3 only: mapped and translated IPv4
 * addresses, link-local, unique local and whatever is assigned one day are not.
 */
export function createPublicAddressTest(): (address: string) => boolean {
  const { refused, unicast } = blocks()
  return (address) => {
    const family = isIP(address)
    if (family === 4) return !refused.check(address, 'ipv4')
    return family === 6 && unicast.check(address, 'ipv6') && !refused.check(address, 'ipv6')
  }
}
