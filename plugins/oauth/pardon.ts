// What is no fault of a client and must not cost it what it has: its own host does not answer, or it was a moment too late.
import { Provider, errors } from 'oidc-provider'
import type { FastifyInstance } from 'fastify'
import { FetchFailed } from '../../src/lib/guarded-fetch.ts'
import { REPLAY_MS } from '../../src/oauth/refresh-flights.ts'
import { isInFlight } from '../../src/oauth/store/adapter.ts'

/** A client whose document is not to be had right now is not unknown: it comes back. */
export function pardonSilentHosts({ log }: FastifyInstance, provider: Provider): void {
  const { Client } = provider
  const find = Client.find.bind(Client)
  Client.find = async (id) =>
    await find(id).catch((error: unknown) => {
      if (!(error instanceof Error) || !(error.cause instanceof FetchFailed)) throw error
      log.info({ client: id.slice(0, 200), reason: error.cause.message }, 'the document of a client was not fetched')
      throw comeBack('The document of this client cannot be fetched right now; try again in a moment.')
    })
}

/**
 * Programs that share one login refresh it through any of several processes, and only one of these can answer all of
 * them. The others refuse for a moment, and end nothing: whoever asked finds the new token where they all keep it. Once
 * somebody has used the new token, or the moment is over, the old one is a stolen one as ever.
 */
export function pardonLateRefreshes({ clock, database }: FastifyInstance, provider: Provider): void {
  const { RefreshToken } = provider
  const find = RefreshToken.find.bind(RefreshToken)
  const pardoning = async (value: string, options?: { ignoreExpiration?: boolean }): Promise<unknown> => {
    const token: unknown = await find(value, options)
    if (!(token instanceof RefreshToken)) return token
    const oidc = Provider.ctx?.oidc
    const isOwn = oidc?.route === 'token' && token.clientId === oidc.client?.clientId
    if (isOwn && token.consumed !== undefined && isInFlight(database, value, clock.now(), REPLAY_MS))
      throw new errors.InvalidGrant('it was refreshed just now')
    return token
  }
  Reflect.set(RefreshToken, 'find', pardoning)
}

/** The client keeps its registration, and what it holds. */
export function comeBack(sentence: string): Error {
  const error = new errors.TemporarilyUnavailable(sentence)
  return Object.assign(error, { status: 503, statusCode: 503, expose: true })
}
