// What is settled about a request before the authorization server sees it. Pure but for the list of servers.
import type { FastifyInstance } from 'fastify'
import { OFFLINE, splitScopes } from '../../src/oauth/scopes.ts'
import { EVERY_SERVER } from '../../src/oauth/addresses.ts'
import { DEFAULTED } from './defaulted.ts'

type Ground = Pick<FastifyInstance, 'urls' | 'scopes'>

/** Every URL of a server means the one audience of that server; what is unknown stays, and is refused. */
export function canonicalResources({ urls }: Ground, params: URLSearchParams): void {
  const asked = params.getAll('resource').filter((resource) => resource !== '')
  params.delete('resource')
  const audiences = asked.map((resource) => {
    const server = urls.serverOf(resource)
    return server === undefined ? resource : urls.audienceOf(server)
  })
  for (const audience of new Set(audiences)) params.append('resource', audience)
}

/** Nobody says which of them is meant, so it is left to be refused as it came (RFC 6749 §3.1). */
const isRepeated = (params: URLSearchParams, name: string): boolean => params.getAll(name).length > 1

/** Without a scope (RFC 6749 §3.3: a default of ours), everything at the resource is offered, reading ticked. */
export function defaultScopes(ground: Ground, params: URLSearchParams): void {
  params.delete(DEFAULTED)
  if (isRepeated(params, 'scope')) return
  const asked = splitScopes(params.get('scope'))
  if (asked.some((scope) => scope !== OFFLINE)) return
  const resources = params.getAll('resource')
  const servers = resources.length === 0 ? [EVERY_SERVER] : resources.map((resource) => ground.urls.serverOf(resource))
  const offered = servers.flatMap((server) => (server === undefined ? [] : ground.scopes.usual(server)))
  if (offered.length === 0) return
  params.set('scope', [...asked, ...new Set(offered)].join(' '))
  params.set(DEFAULTED, '1')
}

/** Parameters of OpenID Connect: nobody gets an id token here, and what is not known is ignored (RFC 6749 §3.1). */
const FOREIGN = ['acr_values', 'claims', 'claims_locales', 'display', 'id_token_hint', 'max_age', 'nonce', 'ui_locales']
const PROMPTS = new Set(['none', 'login', 'consent'])

export function plainParameters(params: URLSearchParams): void {
  for (const name of FOREIGN) params.delete(name)
  if (isRepeated(params, 'prompt')) return
  const prompts = params.get('prompt')?.split(' ') ?? []
  const known = prompts.filter((prompt) => PROMPTS.has(prompt))
  if (known.length > 0) params.set('prompt', known.join(' '))
  else params.delete('prompt')
}

/**
 * The answer goes out in the query and in no other way: what needs a script of its own does not run under our policy, and
 * what is refused by its name is refused the ordinary way.
 */
export function plainResponseMode(params: URLSearchParams): void {
  const mode = params.get('response_mode')
  if (mode !== null && mode !== '' && mode !== 'query') params.set('response_mode', 'unsupported')
}

/** One of ours looks like this; anything else is answered as an unknown token, whatever it is. */
export function plainToken(params: URLSearchParams): void {
  const token = params.get('token')
  if (token !== null && !/^[\w-]{1,200}$/.test(token)) params.set('token', 'unknown')
}
