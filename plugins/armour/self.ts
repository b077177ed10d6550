// Whether a request comes from a page of our own, and by which of our addresses. Pure decisions on its headers.
import type { FastifyRequest } from 'fastify'
import { AccessError } from '../../src/errors.ts'

const SAFE = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * Whether it came by the public address, and that one is https. A proxy that puts its own name into Host is recognised by
 * its word about the protocol, where its word counts.
 */
export function isPublicHttps(request: FastifyRequest): boolean {
  const { publicUrl } = request.server.config
  if (publicUrl?.protocol !== 'https:') return false
  return request.raw.headers.host?.toLowerCase() === publicUrl.host || request.protocol === 'https'
}

/** The origin that the browser sees our pages under. The Host header was checked before. */
export function ownOrigin(request: FastifyRequest): string {
  const { publicUrl } = request.server.config
  const host = request.raw.headers.host?.toLowerCase() ?? ''
  return publicUrl !== null && host === publicUrl.host ? publicUrl.origin : `http://${host}`
}

/**
 * Forged requests end here: a page of another origin may make a browser send our cookie, but not say that it is ours.
 * Every browser sends `Origin` with what changes something; newer ones say `Sec-Fetch-Site` too, and then both have to be right.
 * @throws AccessError FORM_FOREIGN for an unsafe method that does not come from a page of ours
 */
export function refuseForeignForm(request: FastifyRequest): void {
  if (SAFE.has(request.method)) return
  const { origin, 'sec-fetch-site': site } = request.raw.headers
  if (site !== undefined && site !== 'same-origin') throw foreignForm()
  if (origin === undefined ? site === undefined : !isOwn(request, origin)) throw foreignForm()
}

/** The public address is ours whatever a proxy wrote into Host. */
const isOwn = (request: FastifyRequest, origin: string): boolean =>
  origin === ownOrigin(request) || origin === request.server.config.publicUrl?.origin

const foreignForm = (): AccessError =>
  new AccessError('forbidden', 'FORM_FOREIGN', 'This was not sent from a page of this gateway.', {
    hint: 'Open the page again at the address of the gateway, and send the form from there.',
  })
