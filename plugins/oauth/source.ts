// The authorization server of an app, made when it is first asked for. What it keeps is swept from the start.
import type { FastifyInstance } from 'fastify'
import type { Provider } from 'oidc-provider'
import { Lazy } from '../../src/lib/lazy.ts'
import { startOAuthSweep } from '../../src/oauth/store/sweep.ts'
import type { OAuthOptions } from './options.ts'

export type ProviderSource = () => Promise<Provider>

export function createProviderSource(app: FastifyInstance, options: OAuthOptions): ProviderSource {
  const { clock, database, log } = app
  let stopSweep: (() => Promise<void>) | undefined
  app.addHook('onReady', (done) => {
    stopSweep = startOAuthSweep(database, clock, log)
    done()
  })
  app.addHook('onClose', async () => stopSweep?.())
  const made = new Lazy(async () => {
    const { createProvider } = await import('./provider.ts')
    return await createProvider(app, options)
  })
  return () => made.get()
}
