// The authorization server of an app, made when it is first asked for, and what is done for it every hour.
import type { FastifyInstance } from 'fastify'
import type { Provider } from 'oidc-provider'
import { HOUR_MS } from '../../src/lib/time.ts'
import { sweepOAuth } from '../../src/oauth/store/sweep.ts'
import { cookieKeys } from '../../src/operator/cookie-keys.ts'
import type { OAuthOptions } from './options.ts'

export type ProviderSource = () => Promise<Provider>

/** A failure to make it is not kept: the next request tries again. */
export function createProviderSource(app: FastifyInstance, options: OAuthOptions): ProviderSource {
  let made: Promise<Provider> | undefined
  const sweep = everyHour(app, 'what expired at the authorization server was not deleted', () =>
    sweepOAuth(app.database, app.clock),
  )
  everyHour(app, 'the keys of its cookies were not renewed', async () => {
    const provider = await made
    if (provider !== undefined) provider.keys = [...(await cookieKeys(app.secrets, app.clock))]
  })
  return () => {
    made ??= import('./provider.ts')
      .then(async ({ createProvider }) => {
        const provider = await createProvider(app, options)
        sweep()
        return provider
      })
      .catch((error: unknown) => {
        made = undefined
        throw error
      })
    return made
  }
}

/**
 * Until the app closes, which waits for what is under way.
 * @param problem what to say when it fails
 * @returns does it now
 */
function everyHour(app: FastifyInstance, problem: string, work: () => Promise<unknown>): () => void {
  let running: Promise<unknown> = Promise.resolve()
  const run = (): void => {
    running = work().catch((error: unknown) => app.log.warn({ err: error }, problem))
  }
  const timer = setInterval(run, HOUR_MS).unref()
  app.addHook('onClose', async () => {
    clearInterval(timer)
    await running
  })
  return run
}
