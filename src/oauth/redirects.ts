// Where an authorization may be sent back to, and what that says about a client (RFC 8252). Pure.

/** Programs on the machine of the person, or a web site. */
type Kind = 'loopback' | 'private-scheme' | 'https'

/** `https` loops back too, but the web page that holds it is what identifies the client. */
const LOOPBACK_NAMES = new Set(['localhost', '127.0.0.1', '[::1]'])
/** Schemes that mean something else to a browser or system than "this program". */
const FOREIGN_SCHEMES = new Set(
  ['about', 'blob', 'data', 'file', 'filesystem', 'ftp', 'intent', 'jar', 'javascript', 'mailto', 'resource', 'sms']
    .concat(['tel', 'vbscript', 'view-source', 'ws', 'wss'])
    .map((scheme) => `${scheme}:`),
)

/** @returns its kind, or the reason why it is refused, to stand after `redirect_uris ` */
export function kindOfRedirect(written: string): { kind: Kind } | { reason: string } {
  const url = URL.parse(written)
  if (url === null) return { reason: 'must be absolute URIs' }
  if (written.includes('#')) return { reason: 'must not have a fragment' }
  if (url.username + url.password !== '') return { reason: 'must not carry a user name' }
  if (url.protocol === 'https:') return { kind: 'https' }
  if (url.protocol !== 'http:') {
    return FOREIGN_SCHEMES.has(url.protocol)
      ? { reason: `must not use the ${url.protocol.slice(0, -1)} scheme` }
      : { kind: 'private-scheme' }
  }
  return LOOPBACK_NAMES.has(url.hostname)
    ? { kind: 'loopback' }
    : { reason: 'may use http for loopback addresses only' }
}

/** Whether any of these makes the client a native one, whatever it says of itself. */
export function isNative(redirectUris: readonly unknown[]): boolean {
  return redirectUris.some((uri) => {
    const found = typeof uri === 'string' ? kindOfRedirect(uri) : { reason: '' }
    return 'kind' in found && found.kind !== 'https'
  })
}

/** Whether consent may be remembered: only where the redirect itself tells who receives the code. */
export function identifiesClient(redirectUri: string): boolean {
  const found = kindOfRedirect(redirectUri)
  return 'kind' in found && found.kind === 'https' && !isLoopbackHost(redirectUri)
}

/** Whether every redirect of a client ends on the device of the person, so that any program there could be it. */
export function isLocalOnly(redirectUris: readonly string[]): boolean {
  return redirectUris.length > 0 && redirectUris.every((uri) => isLoopbackHost(uri) || !/^https?:/i.test(uri))
}

/** What a person recognises in a redirect: the host, or the private scheme. */
export function hostOfRedirect(written: string): string {
  const url = URL.parse(written)
  if (url === null) return ''
  return /^https?:$/.test(url.protocol) ? url.hostname : url.protocol
}

function isLoopbackHost(written: string): boolean {
  const url = URL.parse(written)
  return url !== null && /^https?:$/.test(url.protocol) && LOOPBACK_NAMES.has(url.hostname)
}
