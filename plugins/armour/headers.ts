// The security headers of every answer that is not a page: one frozen list, written to the raw response at once.
import type { ServerResponse } from 'node:http'

/**
 * An answer of the API is data for the program that asked: never framed, sniffed, stored or embedded by another site.
 * Pages will bring their own policy; a test compares both lists.
 */
export const SECURITY_HEADERS: readonly (readonly [name: string, value: string])[] = Object.freeze([
  Object.freeze(['x-content-type-options', 'nosniff'] as const),
  Object.freeze(['content-security-policy', "default-src 'none'; frame-ancestors 'none'"] as const),
  Object.freeze(['referrer-policy', 'no-referrer'] as const),
  Object.freeze(['cache-control', 'no-store'] as const),
  Object.freeze(['cross-origin-resource-policy', 'same-origin'] as const),
])

/** Added where the public address is https: browsers then never try plain http again (RFC 6797). */
export const STRICT_TRANSPORT: readonly [name: string, value: string] = Object.freeze([
  'strict-transport-security',
  'max-age=31536000',
] as const)

/** Sets the list on the raw response, so that a hijacked reply and a stream carry it too. */
export function setHeaders(response: ServerResponse, headers: readonly (readonly [string, string])[]): void {
  for (let index = 0; index < headers.length; index++) {
    const pair = headers[index]
    if (pair !== undefined) response.setHeader(pair[0], pair[1])
  }
}
