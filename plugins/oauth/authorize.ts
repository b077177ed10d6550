// GET /authorize: where an authorization begins, and where it goes on after each step of the person.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { sendPage } from '../armour/pages.ts'
import { operatorOf } from '../doors/operator-cookie.ts'
import { ask, prepare, send } from './ask.ts'
import { renderFailure } from './failure-page.ts'
import { canonicalResources, defaultScopes, plainParameters, plainResponseMode } from './rewrite.ts'
import type { ProviderSource } from './source.ts'

export function authorize(app: FastifyInstance, provider: ProviderSource) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const [path = '/', query = ''] = (request.raw.url ?? '/').split(/\?(.*)/s)
    const elsewhere = otherOrigin(app, request)
    if (elsewhere !== undefined) return reply.redirect(elsewhere + path + search(query), 303)
    const params = new URLSearchParams(query)
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
    if (answer.status < 400) return send(reply, answer)
    // An error page: never a redirect to an address that nobody registered.
    const isPage = String(answer.headers['content-type']).startsWith('text/html')
    const failure = answer.status === 503 ? 'temporarily_unavailable' : 'server_error'
    return sendPage(prepare(reply, answer), isPage ? answer.body : renderFailure(app.urls.basePath, failure, undefined))
  }
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
