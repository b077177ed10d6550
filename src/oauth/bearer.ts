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

/**
 * The value of WWW-Authenticate (RFC 6750 §3). A request without credentials gets no error code.
 */
export function challenge(error?: 'invalid_token' | 'insufficient_scope'): string {
  return error === undefined ? 'Bearer realm="crow"' : `Bearer realm="crow", error="${error}"`
}
