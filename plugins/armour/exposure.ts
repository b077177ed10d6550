// Traffic from the public internet, and which doors it may knock at. Whatever is not meant for the public stays dark to it.
import { isIP, isIPv4 } from 'node:net'
import type { FastifyRequest } from 'fastify'
import type { Config } from '../../src/config.ts'
import { isLoopback, privateRanges } from '../../src/config/network.ts'
import { addressOf } from '../../src/lib/address.ts'
import type { DoorName } from './guard.ts'

/** Set by tunnels that end on this machine. Anyone may send them: they only ever take rights away. */
const TUNNEL_MARKS = ['tailscale-funnel-request', 'cf-connecting-ip'] as const

export type ExposureTest = (request: FastifyRequest) => boolean

const isTunnelled: ExposureTest = ({ raw: { headers } }) =>
  headers[TUNNEL_MARKS[0]] !== undefined || headers[TUNNEL_MARKS[1]] !== undefined

/** A test for requests that come from outside: by a tunnel's mark, or by an address that is not private. */
export function createExposureTest(config: Pick<Config, 'host' | 'trustedProxies'>): ExposureTest {
  // Only this machine can connect, and nobody's word about other addresses is taken.
  if (isLoopback(config.host) && config.trustedProxies.length === 0) return isTunnelled
  const home = privateRanges()
  return (request) => {
    const address = addressOf(request.ip)
    return isTunnelled(request) || !home.check(address, isIPv4(address) ? 'ipv4' : 'ipv6')
  }
}

/**
 * Doors that may be reached from outside. A public address says that AI clients out there are meant to connect; an address
 * of this machine or of the home network does not.
 */
export function exposedDoors({ publicUrl }: Pick<Config, 'publicUrl'>): ReadonlySet<DoorName | undefined> {
  const isPublic = publicUrl !== null && !isAtHome(publicUrl.hostname)
  return new Set<DoorName>(isPublic ? ['anyone', 'applicant', 'caller'] : ['anyone', 'applicant'])
}

function isAtHome(hostname: string): boolean {
  const address = hostname.replaceAll(/^\[|\]$/g, '')
  const family = isIP(address)
  return isLoopback(hostname) || (family !== 0 && privateRanges().check(address, family === 4 ? 'ipv4' : 'ipv6'))
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether this route is there before the owner has set a password: what is needed to set one, and little else. */
    beforeSetup?: true
  }
}

/**
 * A test for requests that have to wait until the owner has set a password: all but a few, where other machines can come in.
 * A password cannot be unset, so that after the first time this costs one comparison.
 * @param hasOwner looks it up
 */
export function createSetupTest(config: Pick<Config, 'host' | 'publicUrl'>, hasOwner: () => boolean): ExposureTest {
  let isSetUp = isLoopback(config.host) && config.publicUrl === null
  return (request) => {
    if (isSetUp || request.routeOptions.config.beforeSetup === true) return false
    isSetUp = hasOwner()
    return !isSetUp
  }
}
