// Where an authorization may be sent back to, and what that says about a client (RFC 8252). Pure.

/** Programs on the machine of the person, or a web site. */
type Kind = 'loopback' | 'private-scheme' | 'https'

/** What a native client may name by http (RFC 8252 §7.3, §8.3). */
const LOOPBACK_NAMES = new Set(['localhost', '127.0.0.1', '[::1]'])
/** Every other spelling of this machine: RFC 1122 §3.2.1.3, RFC 6761 §6.3, IPv4 mapped into IPv6, the unspecified address. */
const LOOPBACK =
  /^(127(\.\d{1,3}){3}|0\.0\.0\.0|(.+\.)?localhost\.?|\[::1?\]|\[::ffff:(7f[\da-f]{2}:[\da-f]{1,4}|0:0)\])$/

/** Programs that answer to a scheme of one word. Any other program has a scheme by its domain (RFC 8252 §7.1): `com.example.app`. */
const KNOWN_SCHEMES = new Set(
  [
    'cursor',
    'vscode',
    'vscode-insiders',
    'vscodium',
    'code-oss',
    'windsurf',
    'windsurf-next',
    'claude',
    'claude-desktop',
  ]
    .concat(['zed', 'kiro', 'trae', 'antigravity', 'jetbrains', 'goose', 'raycast', 'warp', 'warppreview', 'lmstudio'])
    .concat([
      'opencode',
      'obsidian',
      'codex',
      'chatgpt',
      'perplexity',
      'cherrystudio',
      'jan',
      'msty',
      '5ire',
      'chatbox',
    ])
    .map((scheme) => `${scheme}:`),
)
const BY_DOMAIN = /^[a-z][a-z\d-]*(\.[a-z\d-]+)+:$/
/** Handlers of the operating system, whatever follows. */
const OF_THE_SYSTEM = /^(ms-|x-|com\.apple\.|com\.microsoft\.windows|com\.android\.)/

/** The characters of a URI (RFC 3986 §2). A browser would read others in a way of its own, so that what is shown is not what was registered. */
const URI = /^([\w.~:/?#[\]@!$&'()*+,;=-]|%[\da-f]{2})+$/i
const WITH_USER = /^[^:]*:\/\/[^/?#]*@/
/** `https:name` and `https:/name` are paths of the page they stand on. */
const WITH_HOST = /^https?:\/\/[^/?#]/i

/** @returns its kind, or the reason why it is refused, to stand after `redirect_uris ` */
export function kindOfRedirect(written: string): { kind: Kind } | { reason: string } {
  const url = URL.parse(written)
  if (url === null || !URI.test(written)) return { reason: 'must be absolute URIs' }
  if (written.includes('#')) return { reason: 'must not have a fragment' }
  if (url.username + url.password !== '' || WITH_USER.test(written)) return { reason: 'must not carry a user name' }
  if (/^https?:$/.test(url.protocol) && !WITH_HOST.test(written)) return { reason: 'must be absolute URIs' }
  if (url.protocol === 'https:') return { kind: 'https' }
  if (url.protocol !== 'http:') {
    return isOfProgram(url.protocol)
      ? { kind: 'private-scheme' }
      : { reason: `must not use the ${url.protocol.slice(0, -1)} scheme: a program has one by its domain, backwards` }
  }
  return LOOPBACK_NAMES.has(url.hostname)
    ? { kind: 'loopback' }
    : { reason: 'may use http for loopback addresses only' }
}

/** Whether a scheme opens one program, which somebody installed, and nothing of the browser or the system. */
function isOfProgram(scheme: string): boolean {
  return KNOWN_SCHEMES.has(scheme) || (BY_DOMAIN.test(scheme) && !OF_THE_SYSTEM.test(scheme))
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
  return 'kind' in found && found.kind === 'https' && !isLocal(redirectUri)
}

/** Whether this redirect ends on the device of the person, so that any program there could be the client. */
export function isLocal(redirectUri: string): boolean {
  const url = URL.parse(redirectUri)
  return url !== null && (!/^https?:$/.test(url.protocol) || LOOPBACK.test(url.hostname))
}

/** What a consent is remembered for: the origin of a web site; any other redirect whole. */
export function placeOfRedirect(redirectUri: string): string {
  const url = URL.parse(redirectUri)
  return url?.protocol === 'https:' ? url.origin : redirectUri
}

/** What a person recognises in a redirect: the host, or the private scheme. */
export function hostOfRedirect(written: string): string {
  const url = URL.parse(written)
  if (url === null) return ''
  return /^https?:$/.test(url.protocol) ? url.hostname : url.protocol
}
