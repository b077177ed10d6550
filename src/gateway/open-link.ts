// Makes a connection to whatever kind of server a target names. Each kind is loaded when the first one of it is opened.
import type { OpenLink } from '../lib/link.ts'
import type { RawEnvironment } from '../config/read.ts'
import type { ChildRegister } from '../upstream/children.ts'

/**
 * @param environment of which a child gets the few variables that every program needs
 * @param register keeps a record of the children, where somebody may have to end them later
 */
export function openLinkWith(environment: RawEnvironment, register?: ChildRegister): OpenLink {
  return async (target, options) => {
    if (target.kind !== 'stdio')
      return await (await import('../mcp/outbound/remote-link.ts')).openRemoteLink(target, options)
    const { childEnvironment } = await import('../config/child-environment.ts')
    const { openStdio } = await import('../upstream/stdio/open.ts')
    const base = childEnvironment(environment, process.platform)
    return await openStdio({ base, ...(register === undefined ? {} : { register }) })(target, options)
  }
}
