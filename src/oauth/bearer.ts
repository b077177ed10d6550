// The Bearer scheme of RFC 6750: reading the credential, and the challenge that answers a missing or bad one.

/** b64token of RFC 6750 §2.1, with a bound of our own. */
const TOKEN = /^[\w.~+/-]{1,4096}=*$/

/**
 * The bearer token of an Authorization header.
 * @returns the token; `null` when a bearer credential came that cannot be a token; undefined when none came (no header, or another scheme)
 */
export function readBearer(header: string | undefined): string | null | undefined {
  if (header === undefined) return undefined
  if (!header.startsWith('Bearer ') && !/^bearer( |$)/i.test(header)) return undefined
  const token = header.slice(7).trim()
  return TOKEN.test(token) ? token : null
}

/** What a challenge tells a client beside the scheme; each part may be missing. */
export interface Challenge {
  /** No error where no credentials came (RFC 6750 §3.1). */
  readonly error?: 'invalid_token' | 'insufficient_scope'
  readonly description?: string
  /** Every scope the operation needs, separated by spaces. */
  readonly scope?: string
  /** Where the protected-resource document is (RFC 9728 §5.1). */
  readonly resourceMetadata?: string
}

/** The value of WWW-Authenticate (RFC 6750 §3). */
export function challenge({ error, description, scope, resourceMetadata }: Challenge = {}): string {
  const parts: readonly (readonly [string, string | undefined])[] = [
    ['error', error],
    ['error_description', description],
    ['scope', scope],
    ['resource_metadata', resourceMetadata],
  ]
  const given = parts.flatMap(([name, value]) => (value === undefined ? [] : [`, ${name}="${quoted(value)}"`]))
  return `Bearer realm="crow"${given.join('')}`
}

/** The inside of a quoted string (RFC 9110 §5.6.4); what cannot stand in one is left out. */
const quoted = (text: string): string => text.replaceAll(/[^\t\x20-\x7e]/g, '').replaceAll(/["\\]/g, '\\$&')
