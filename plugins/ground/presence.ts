// Tells the other processes on the data folder where this gateway listens, from the moment it does until it ends.
import fp from 'fastify-plugin'
import type { FastifyInstance } from 'fastify'
import { localAddress } from '../../src/lib/address.ts'
import { announcePresence } from '../../src/upstream/presence.ts'

function presence(app: FastifyInstance, _options: object, done: () => void): void {
  let takeBack: (() => void) | undefined
  app.addHook('onListen', (next) => {
    const { config, log, tokens } = app
    try {
      takeBack = announcePresence(config.dataDir, { address: placeOf(app), key: tokens.processKey })
    } catch (error) {
      // Everything is served all the same; others then take care of external servers themselves.
      log.warn({ err: error }, 'other processes cannot be told where this gateway is')
    }
    next()
  })
  app.addHook('preClose', (next) => {
    takeBack?.()
    next()
  })
  done()
}

/** Where this machine reaches it. */
function placeOf({ config, server }: FastifyInstance): string {
  const bound = server.address()
  return localAddress(config.host, typeof bound === 'object' && bound !== null ? bound.port : config.port)
}

export default fp(presence, { name: 'ground/presence', dependencies: ['ground/gateway'], fastify: '5.x' })
