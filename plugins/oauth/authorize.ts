// GET /authorize: where an authorization begins, and where it goes on after each step of the person.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { isLocal } from '../../src/oauth/redirects.ts'
import { sendPage } from '../armour/pages.ts'
import { operatorOf } from '../doors/operator-cookie.ts'
import { ask, prepare, send, type Answer } from './ask.ts'
import { renderFailure } from './failure-page.ts'
import { canonicalResources, defaultScopes, plainParameters, plainResponseMode } from './rewrite.ts'
import type { ProviderSource } from './source.ts'

export function authorize(app: FastifyInstance, provider: ProviderSource) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const path = pathOf(request)
    const [, query = ''] = (request.raw.url ?? '/').split(/\?(.*)/s)
    const elsewhere = otherOrigin(app, request)
    if (elsewhere !== undefined) return reply.redirect(elsewhere + path + search(query), 303)
    // What goes on carries nothing: the request is kept from its beginning.
    const params = new URLSearchParams(path === '/authorize' ? query : '')
    if (path === '/authorize') {
      canonicalResources(app, params)
      defaultScopes(app, params)
      plainParameters(params)
      plainResponseMode(params)
    }
    // The owner may connect as many clients as he likes; a stranger who only begins leaves rows behind.
    if (operatorOf(request) !== undefined) request.refund()
    const url = path + search(params.toString())
    const headers = { ...request.headers, accept: 'text/html' }
    const answer = await ask(await provider(), request, { method: 'GET', url, headers })
    const stranded = path === '/authorize' ? strandedAt(app, request, answer, params) : undefined
    if (stranded !== undefined) return sendPage(reply.code(400), stranded)
    if (answer.status < 400) return send(reply, answer)
    // An error page: never a redirect to an address that nobody registered.
    const isPage = String(answer.headers['content-type']).startsWith('text/html')
    const failure = answer.status === 503 ? 'temporarily_unavailable' : 'server_error'
    return sendPage(prepare(reply, answer), isPage ? answer.body : renderFailure(app.urls.basePath, failure, undefined))
  }
}

/**
 * Anybody can register a client and have us redirect to it with a mistake of its own: nobody who is not known to be the
 * owner is sent to a web site by it (RFC 9700 §4.11.2). Programs on the machine of the person are answered, and so is the
 * silent question of a client that was let in before.
 * @returns the page in place of the redirect
 */
function strandedAt(
  app: FastifyInstance,
  request: FastifyRequest,
  { headers: { location } }: Answer,
  params: URLSearchParams,
): string | undefined {
  // Ours are paths.
  const to = typeof location === 'string' ? URL.parse(location) : null
  if (to === null || isLocal(to.href)) return undefined
  const told = new URLSearchParams(to.search === '' || to.hash !== '' ? to.hash.slice(1) : to.search)
  const error = told.get('error') ?? to.searchParams.get('error') ?? 'invalid_request'
  if (operatorOf(request) !== undefined) return undefined
  if (error === 'login_required' && app.authorizations.knows(params.get('client_id') ?? '')) return undefined
  return renderFailure(app.urls.basePath, error, told.get('error_description') ?? undefined)
}

/** As the route is written, whatever characters of it came encoded. */
function pathOf({ params, routeOptions: { url = '/' } }: FastifyRequest): string {
  const uid: unknown = Reflect.get(Object(params), 'uid')
  return typeof uid === 'string' ? url.replace(':uid', () => encodeURIComponent(uid)) : url
}

const search = (query: string): string => (query === '' ? '' : `?${query}`)

/**
 * Cookies belong to one host name. Someone who came by another spelling of this machine goes on under the issuer's; with a
 * public URL a proxy is in between, and its Host says nothing.
 */
function otherOrigin({ config, urls }: FastifyInstance, { headers }: FastifyRequest): string | undefined {
  if (config.publicUrl !== null) return undefined
  return headers.host === new URL(urls.issuer).host ? undefined : urls.issuer
}
