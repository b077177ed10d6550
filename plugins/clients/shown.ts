// What the page and the API say of who may come in: rows of the gateway in the words of people. Decides nothing.
import type { FastifyInstance } from 'fastify'
import { EVERY_SERVER } from '../../src/oauth/addresses.ts'
import type { Authorization } from '../../src/oauth/authorizations.ts'
import type { RememberedConsent } from '../../src/oauth/known-clients.ts'
import type { LocalToken } from '../../src/oauth/local-tokens.ts'
import { isReading, OFFLINE } from '../../src/oauth/scopes.ts'

const EVERYTHING = 'Everything, also on servers that come later.'

export interface ScopeInWords {
  readonly scope: string
  readonly sentence: string
}

/** What scopes let do; what only keeps a client connected is left out. */
export function inWords({ scopes }: FastifyInstance, named: readonly string[]): ScopeInWords[] {
  return named.filter((scope) => scope !== OFFLINE).map((scope) => ({ scope, sentence: scopes.sentenceOf(scope) }))
}

/** The same for people, without what is covered already: whoever may write may read. */
export function sentences(app: FastifyInstance, named: readonly string[] | null): string[] {
  if (named === null) return [EVERYTHING]
  const isCovered = (scope: string): boolean => isReading(scope) && named.includes(scope.replace(/:read$/, ''))
  return inWords(
    app,
    named.filter((scope) => !isCovered(scope)),
  ).map(({ sentence }) => sentence)
}

/** The host that vouches for a client whose id is the address of a document of its own. */
export function hostOfClient(clientId: string): string | undefined {
  return clientId.startsWith('https://') ? URL.parse(clientId)?.host : undefined
}

export const clientOf = (id: string, name: string) => ({ id, name, host: hostOfClient(id) ?? null })

export const serverNameOf = ({ scopes }: FastifyInstance, { server }: Pick<Authorization, 'server'>): string =>
  scopes.nameOf(server ?? EVERY_SERVER)

/** Servers a consent was given for, each once; an address that is no longer ours is shown as it is. */
export function serversOf({ urls }: FastifyInstance, { audiences }: RememberedConsent): string[] {
  return [...new Set(audiences.map((audience) => urls.serverOf(audience) ?? audience))]
}

/** Where rows stand in their lists. */
export const placeOfNumber = ({ id, createdAt }: { readonly id: number; readonly createdAt: number }) => ({
  at: createdAt,
  key: String(id),
})
export const placeOfKey = ({ key, createdAt }: { readonly key: string; readonly createdAt: number }) => ({
  at: createdAt,
  key,
})

/** What can still be done something about. */
export const isKept = ({ state }: LocalToken): boolean => state !== 'revoked'
