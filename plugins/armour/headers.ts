// The security headers of every answer that is not a page: one frozen list.
import type { FastifyReply } from 'fastify'
import type { Config } from '../../src/config.ts'

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
const STRICT_TRANSPORT: readonly [name: string, value: string] = Object.freeze([
  'strict-transport-security',
  'max-age=31536000',
] as const)

/** The list of this gateway. Whatever writes an answer past Fastify takes it from here, too. */
export const securityHeaders = ({
  publicUrl,
}: Pick<Config, 'publicUrl'>): readonly (readonly [name: string, value: string])[] =>
  publicUrl?.protocol === 'https:' ? [...SECURITY_HEADERS, STRICT_TRANSPORT] : SECURITY_HEADERS

/**
 * Puts the list on a reply. A reply that is hijacked must copy `reply.getHeaders()`, which cost half of what setting them
 * on the raw response would cost every other reply.
 */
export function setHeaders(reply: FastifyReply, headers: readonly (readonly [string, string])[]): void {
  for (let index = 0; index < headers.length; index++) {
    const pair = headers[index]
    if (pair !== undefined) reply.header(pair[0], pair[1])
  }
}
