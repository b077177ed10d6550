// Tells the other processes on the data folder where this gateway listens, from the moment it does until it ends.
import { isIP } from 'node:net'
import fp from 'fastify-plugin'
import type { FastifyInstance } from 'fastify'
import { localAddress } from '../../src/lib/address.ts'
import { repeat } from '../../src/lib/repeat.ts'
import { announcePresence } from '../../src/upstream/presence.ts'

/** How soon another gateway on the folder is asked instead of one that was killed. */
const LOOK_MS = 2_000

function presence(app: FastifyInstance, _options: object, done: () => void): void {
  let stop: (() => Promise<void>) | undefined
  let takeBack: (() => void) | undefined
  let isKnown = false
  const announce = async (): Promise<void> => {
    const { config, log, tokens } = app
    try {
      takeBack = announcePresence(config.dataDir, { address: placeOf(app), key: tokens.processKey })
      isKnown = false
    } catch (error) {
      // Everything is served all the same; others then take care of external servers themselves.
      if (!isKnown) log.warn({ err: error }, 'other processes cannot be told where this gateway is')
      isKnown = true
    }
  }
  app.addHook('onListen', async () => {
    await announce()
    stop = repeat(announce, { firstMs: LOOK_MS, everyMs: LOOK_MS })
  })
  app.addHook('preClose', async () => {
    await stop?.()
    takeBack?.()
  })
  done()
}

/** Where this machine reaches it. A host name is said as the address that it stood for. */
function placeOf({ config, server }: FastifyInstance): string {
  const bound = server.address()
  if (typeof bound !== 'object' || bound === null) return localAddress(config.host, config.port)
  const isPlain = isIP(config.host) !== 0 || config.host === 'localhost'
  return localAddress(isPlain ? config.host : bound.address, bound.port)
}

export default fp(presence, { name: 'ground/presence', dependencies: ['ground/gateway'], fastify: '5.x' })
