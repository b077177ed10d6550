// The security narrative: what stands on what, and who may come in where. The order is checked, not only written down.
import Fastify, { type FastifyInstance } from 'fastify'
import type { Config } from './config.ts'
import { openGateway, processLog, type GatewayOptions } from './gateway.ts'
import body from '../plugins/armour/body.ts'
import compilers from '../plugins/armour/compilers.ts'
import cookies from '../plugins/armour/cookies.ts'
import errors from '../plugins/armour/errors.ts'
import guard from '../plugins/armour/guard.ts'
import limits from '../plugins/armour/limits.ts'
import network from '../plugins/armour/network.ts'
import notFound from '../plugins/armour/not-found.ts'

import { serverOptions } from '../plugins/armour/server.ts'
import { anyone } from '../plugins/doors/anyone.ts'
import { applicant } from '../plugins/doors/applicant.ts'
import { behind } from '../plugins/doors/behind.ts'
import { caller } from '../plugins/doors/caller.ts'
import { loopbackCaller } from '../plugins/doors/loopback-caller.ts'
import { operator } from '../plugins/doors/operator.ts'
import { peerGate } from '../plugins/doors/peer-gate.ts'
import clients from '../plugins/clients/index.ts'
import crowMd from '../plugins/crow-md/index.ts'
import gatewayPlugin from '../plugins/ground/gateway.ts'
import addresses from '../plugins/ground/addresses.ts'
import background from '../plugins/ground/background.ts'
import presence from '../plugins/ground/presence.ts'
import shutdown from '../plugins/ground/shutdown.ts'
import streams from '../plugins/ground/streams.ts'
import health from '../plugins/health/index.ts'
import login from '../plugins/login/index.ts'
import account from '../plugins/login/account.ts'
import pageAssets from '../plugins/login/assets.ts'
import mcp from '../plugins/mcp/index.ts'
import { createOAuthRoom } from '../plugins/oauth/index.ts'
import oauthMetadata from '../plugins/oauth/metadata.ts'
import type { OAuthOptions } from '../plugins/oauth/options.ts'
import site from '../plugins/site/index.ts'
import status from '../plugins/status/index.ts'

export interface AppOptions extends Omit<GatewayOptions, 'longLived'> {
  /** What the authorization server reaches the world outside with, for tests. */
  readonly oauth?: OAuthOptions
}

/**
 * Builds the gateway, ready to listen or to be asked by `inject`. Closing it closes everything, the database last.
 * @throws GatewayError of the database, CompileError of a wrong declaration, Error of a wrong order
 */
export async function buildApp(config: Config, options: AppOptions = {}): Promise<FastifyInstance> {
  const log = options.log ?? processLog(config)
  const gateway = await openGateway(config, { ...options, log, isGateway: true })
  const app = Fastify(serverOptions(config, log))
  try {
    // I. Ground: what everything stands on. Opens no route; the database closes last.
    await app.register(gatewayPlugin, { gateway })
    await app.register(addresses)
    await app.register(background)
    await app.register(presence)
    await app.register(streams)
    await app.register(shutdown)

    // II. Armour: true of every answer, of refusals and of what was not found.
    await app.register(errors)
    await app.register(network)
    await app.register(body)
    await app.register(compilers)
    await app.register(limits)
    await app.register(cookies)
    await app.register(guard)

    // III. Doors, and the rooms behind them.
    await app.register(behind(anyone, health, site, pageAssets, oauthMetadata))
    await app.register(behind(applicant, login, createOAuthRoom(options.oauth ?? {})))
    await app.register(behind(operator, account, clients, status))
    await app.register(behind([config.noAuth ? loopbackCaller : caller, peerGate], mcp, crowMd))

    // IV. Last: whatever no room answered, counted like any stranger.
    await app.register(notFound)
    await app.ready()
  } catch (error) {
    await app.close()
    await gateway.close()
    throw error
  }
  return app
}
