// What is true of every page: its headers, its dialect of failures, and that it reads forms and nothing else.
import formbody from '@fastify/formbody'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { AccessError, DomainError } from '../../src/errors.ts'
import { html } from '../../src/lib/html.ts'
import { problemNotice } from '../../src/pages/notice.ts'
import { page } from '../../src/pages/shell.ts'
import { answerFailure } from './errors.ts'
import type { Failure } from './failure.ts'

const FORM_BYTES_MAX = 32_768

/**
 * A page shows what the gateway sent and does nothing else: no script, no frame, no other host. `same-origin` as the
 * referrer policy, because under `no-referrer` browsers send `Origin: null` with our own forms.
 */
const PAGE_HEADERS: readonly (readonly [name: string, value: string])[] = Object.freeze([
  Object.freeze(['x-content-type-options', 'nosniff'] as const),
  Object.freeze(['referrer-policy', 'same-origin'] as const),
  Object.freeze(['cache-control', 'no-store'] as const),
  Object.freeze(['cross-origin-opener-policy', 'same-origin'] as const),
  Object.freeze(['cross-origin-resource-policy', 'same-origin'] as const),
  Object.freeze(['origin-agent-cluster', '?1'] as const),
  Object.freeze(['x-frame-options', 'DENY'] as const),
  Object.freeze(['x-dns-prefetch-control', 'off'] as const),
  Object.freeze(['x-permitted-cross-domain-policies', 'none'] as const),
  Object.freeze(['permissions-policy', 'camera=(), geolocation=(), microphone=(), payment=(), usb=()'] as const),
])

/** @param formAction source of CSP beside ourselves, where the answer to a form may redirect */
function contentSecurityPolicy(formAction?: string): string {
  const target = formAction === undefined ? '' : ` ${formAction}`
  return [
    "default-src 'none'",
    "style-src 'self'",
    "img-src 'self' data:",
    `form-action 'self'${target}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; ')
}

/**
 * The source that lets a form's answer redirect to a client: Chromium checks `form-action` against the whole chain of
 * redirects, and does nothing at all, without a word, where it does not fit.
 * @returns the origin of an http or https redirect, the scheme of a private one; undefined for what is no URL
 */
export function formActionFor(redirectUri: string): string | undefined {
  const url = URL.parse(redirectUri)
  if (url === null || /^(javascript|data|blob|file|about|filesystem):$/.test(url.protocol)) return undefined
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return url.protocol
  // A source cannot name an IPv6 address, so one is let through by its scheme and port.
  if (/^\[[0-9a-f:]+\]$/.test(url.hostname))
    return `${url.protocol}//*:${url.port || (url.protocol === 'http:' ? '80' : '443')}`
  // The URL standard lets a host hold `;` and `,`, which would begin another directive or another policy.
  return /^[\w.-]+$/.test(url.hostname) ? url.origin : undefined
}

/** Answers with a page. @param options.formAction see `formActionFor` */
export function sendPage(
  reply: FastifyReply,
  document: string,
  options: { formAction?: string | undefined } = {},
): FastifyReply {
  for (const [name, value] of PAGE_HEADERS) reply.header(name, value)
  reply.header('content-security-policy', contentSecurityPolicy(options.formAction))
  return reply.type('text/html; charset=utf-8').send(document)
}

/** Sends the browser to a path of ours with GET, whatever it came with. */
export function seeOther(reply: FastifyReply, path: string): FastifyReply {
  return reply.redirect(reply.server.config.basePath + path, 303)
}

/** Where somebody who has to sign in first is sent, and comes back from. `next` is a path of ours. */
export function loginPath(next: string): string {
  return `/login?next=${encodeURIComponent(next)}`
}

/** Makes a scope speak pages: forms in, HTML out, failures too. Call it first in the plugin of a room. */
export async function speakPages(app: FastifyInstance): Promise<void> {
  app.removeAllContentTypeParsers()
  await app.register(formbody, { bodyLimit: FORM_BYTES_MAX })
  app.setErrorHandler((error: FastifyError, request, reply) => sendFailure(error, request, reply))
}

/**
 * What a form says about an attempt that was refused; sets the status of the answer. Whatever was not expected goes on to
 * the error handler.
 */
export function toldOf(error: unknown, request: FastifyRequest, reply: FastifyReply): Failure {
  if (!(error instanceof AccessError || error instanceof DomainError)) throw error
  return answerFailure(error, request, reply)
}

function sendFailure(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { basePath } = request.server.config
  const failure = answerFailure(error, request, reply)
  if (failure.code === 'LOGIN_REQUIRED') {
    reply.removeHeader('retry-after')
    return seeOther(reply, loginPath(request.method === 'GET' ? request.url : '/account'))
  }
  const body = html`${problemNotice(failure)}
    <p><a class="button quiet" href="${basePath}/account">Go to the account</a></p>
    ${failure.status >= 500 && html`<p class="hint">Request ${request.id}</p>`}`
  return sendPage(reply, page({ title: titleOf(failure.status), base: basePath, body }))
}

function titleOf(status: number): string {
  if (status === 429) return 'Too many requests'
  if (status === 403) return 'Not from here'
  if (status === 404) return 'Not found'
  return status >= 500 ? 'Not now' : 'That did not work'
}
