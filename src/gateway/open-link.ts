// Makes a connection to whatever kind of server a target names. Each kind is loaded when the first one of it is opened.
import { isForbiddenHost, plainHost } from '../config/forbidden-hosts.ts'
import type { RawEnvironment } from '../config/read.ts'
import { LinkFailure, type OpenLink } from '../lib/link.ts'
import type { ChildRegister } from '../upstream/children.ts'

/** The addresses of a name, as the system finds them. */
export type Resolve = (host: string) => Promise<readonly string[]>

/**
 * @param environment of which a child gets the few variables that every program needs
 * @param register keeps a record of the children, where somebody may have to end them later
 */
export function openLinkWith(
  environment: RawEnvironment,
  register?: ChildRegister,
  resolve: Resolve = bySystem,
): OpenLink {
  return async (target, options) => {
    if (target.kind !== 'stdio') {
      await refuseForbidden(target.url, resolve)
      return await (await import('../mcp/outbound/remote-link.ts')).openRemoteLink(target, options)
    }
    const { childEnvironment } = await import('../config/child-environment.ts')
    const { openStdio } = await import('../upstream/stdio/open.ts')
    const base = childEnvironment(environment, process.platform)
    return await openStdio({ base, ...(register === undefined ? {} : { register }) })(target, options)
  }
}

/**
 * An address in the settings was looked at when they were read; what a name leads to may be another every time.
 * @throws LinkFailure
 */
async function refuseForbidden(url: string, resolve: Resolve): Promise<void> {
  const host = plainHost(new URL(url).hostname)
  const addresses = await resolve(host)
  if (addresses.some((address) => isForbiddenHost(address)))
    throw new LinkFailure({
      reason: `${host} leads to link-local addresses, where machines of a cloud get their credentials.`,
      wanted: false,
    })
}

/** None where the name is not known: the connection says so better. */
async function bySystem(host: string): Promise<readonly string[]> {
  const { lookup } = await import('node:dns/promises')
  const found = await lookup(host, { all: true }).catch(() => [])
  return found.map(({ address }) => address)
}
