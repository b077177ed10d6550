// Where to go after signing in: a path of ours, never an address that somebody put into a link.

const PATH = /^\/(?![/\\])[\w.~!$&'()*+,;=:@%/?-]*$/
const LENGTH_MAX = 2048
/** What signing in would undo, or that leads nowhere. */
const POINTLESS = /^\/(login|logout|setup)([/?]|$)/

/** The path, when it is one of ours; undefined for everything else. */
export function ownPath(written: unknown): string | undefined {
  if (typeof written !== 'string' || written.length > LENGTH_MAX || !PATH.test(written)) return undefined
  // As the browser will read it: dots resolved, and still on this host.
  const url = URL.parse(written, 'http://gateway.invalid')
  if (url === null || url.origin !== 'http://gateway.invalid' || url.pathname.startsWith('//')) return undefined
  return POINTLESS.test(url.pathname) ? undefined : url.pathname + url.search
}
