// The authorization server of an app, made when it is first asked for. Whoever has none has nothing to sweep either.
import type { FastifyInstance } from 'fastify'
import type { Provider } from 'oidc-provider'
import { sweepOAuth } from '../../src/oauth/store/sweep.ts'
import type { OAuthOptions } from './options.ts'

export type ProviderSource = () => Promise<Provider>

const SWEEP_MS = 3_600_000

/** A failure to make it is not kept: the next request tries again. */
export function createProviderSource(app: FastifyInstance, options: OAuthOptions): ProviderSource {
  let made: Promise<Provider> | undefined
  const sweep = createSweep(app)
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

/** @returns begins to delete what expired: now, and every hour until the app closes */
function createSweep(app: FastifyInstance): () => void {
  let timer: NodeJS.Timeout | undefined
  let running: Promise<unknown> = Promise.resolve()
  const sweep = (): void => {
    running = sweepOAuth(app.database, app.clock).catch((error: unknown) =>
      app.log.warn({ err: error }, 'what expired at the authorization server was not deleted'),
    )
  }
  app.addHook('onClose', async () => {
    clearInterval(timer)
    await running
  })
  return () => {
    sweep()
    timer = setInterval(sweep, SWEEP_MS).unref()
  }
}
