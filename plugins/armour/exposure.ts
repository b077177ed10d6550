// Traffic from the public internet, and which doors it may knock at. Whatever is not meant for the public stays dark to it.
import { isIPv4 } from 'node:net'
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

/** Doors that may be reached from outside. A public address says that AI clients out there are meant to connect. */
export function exposedDoors(config: Pick<Config, 'publicUrl'>): ReadonlySet<DoorName | undefined> {
  return new Set<DoorName>(config.publicUrl === null ? ['anyone', 'applicant'] : ['anyone', 'applicant', 'caller'])
}
