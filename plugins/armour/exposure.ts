// Traffic from the public internet, and which doors it may knock at. Whatever is not meant for the public stays dark to it.
import { isIP, isIPv4, type BlockList } from 'node:net'
import type { FastifyRequest } from 'fastify'
import type { Config } from '../../src/config.ts'
import { isLoopback, privateRanges, rangesOf } from '../../src/config/network.ts'
import { addressOf } from '../../src/lib/address.ts'
import type { DoorName } from './guard.ts'

/** Set by tunnels that end on this machine. Anyone may send them: they only ever take rights away. */
const TUNNEL_MARKS = ['tailscale-funnel-request', 'cf-connecting-ip'] as const

export type ExposureTest = (request: FastifyRequest) => boolean

const isTunnelled: ExposureTest = ({ raw: { headers } }) =>
  headers[TUNNEL_MARKS[0]] !== undefined || headers[TUNNEL_MARKS[1]] !== undefined

/** Left by proxies. Nobody's word about addresses is taken where no proxy is configured, but that there is one may be believed. */
const PROXY_MARKS = [
  'x-forwarded-for',
  'forwarded',
  'x-real-ip',
  'x-forwarded-host',
  'x-forwarded-proto',
  'via',
] as const

/** Whether a proxy brought it, or says so. */
export const isProxied: ExposureTest = ({ raw: { headers } }) => PROXY_MARKS.some((name) => headers[name] !== undefined)

/** A test for requests that come from outside: by a mark of a tunnel or proxy, or by an address that is not private. */
export function createExposureTest(
  config: Pick<Config, 'host' | 'noAuth' | 'publicUrl' | 'trustedProxies'>,
): ExposureTest {
  // Local programs need no token there, and what a proxy brings is from no local program.
  if (config.noAuth) return (request) => isTunnelled(request) || isProxied(request)
  if (isLoopback(config.host) && config.trustedProxies.length === 0) {
    // Only this machine can connect; whoever is outside came through a proxy that nobody told us of.
    return isPublic(config) ? createProxyTest(config.publicUrl.hostname) : isTunnelled
  }
  const home = privateRanges()
  const isUntold = isPublic(config) ? createUntoldTest(config.publicUrl.hostname, config.trustedProxies) : () => false
  return (request) => isTunnelled(request) || isUntold(request) || !isIn(home, request.ip)
}

/**
 * A test for requests of which nobody knows where they come from: brought by a proxy that was not configured, and stands at
 * home as like as not, or by one that does not say whom it brings, be it that it leaves no mark but the public name.
 */
function createUntoldTest(publicName: string, trustedProxies: readonly string[]): ExposureTest {
  const proxies = rangesOf(trustedProxies)
  return (request) => {
    const { headers, socket } = request.raw
    const peer = addressOf(socket.remoteAddress ?? '')
    // A proxy on a socket of this machine has no address.
    const isFromProxy = isIP(peer) === 0 || isIn(proxies, peer)
    if (headers['x-forwarded-for'] !== undefined) return !isFromProxy
    return isProxied(request) || (isFromProxy && headers.host?.toLowerCase().startsWith(publicName) === true)
  }
}

function isIn(ranges: BlockList, written: string): boolean {
  const address = addressOf(written)
  return ranges.check(address, isIPv4(address) ? 'ipv4' : 'ipv6')
}

function createProxyTest(publicName: string): ExposureTest {
  return (request) => {
    const { headers } = request.raw
    if (isTunnelled(request) || isProxied(request)) return true
    return headers.host?.toLowerCase().startsWith(publicName) === true
  }
}

/** Whether the public address says that somebody out there is meant to connect. One of this machine or home does not. */
function isPublic(config: Pick<Config, 'publicUrl'>): config is { readonly publicUrl: URL } {
  return config.publicUrl !== null && !isAtHome(config.publicUrl.hostname)
}

/** Doors that may be reached from outside: those of AI clients with a public address, the owner's only where that was asked for. */
export function exposedDoors(config: Pick<Config, 'publicUrl' | 'dashboardPublic'>): ReadonlySet<DoorName | undefined> {
  const doors = new Set<DoorName | undefined>(['anyone', 'applicant'])
  if (!isPublic(config)) return doors
  doors.add('caller')
  return config.dashboardPublic ? doors.add('operator') : doors
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
