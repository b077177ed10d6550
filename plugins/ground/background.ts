// What runs beside the answers while the gateway serves: begins when everything is ready, is told to end before anything
// closes, and has ended before what it stands on does.
import fp from 'fastify-plugin'
import type { FastifyInstance } from 'fastify'
import { startBackground } from '../../src/gateway.ts'

function background(app: FastifyInstance, _options: object, done: () => void): void {
  let stop: (() => Promise<void>) | undefined
  let stopped: Promise<void> | undefined
  app.addHook('onReady', (ready) => {
    stop = startBackground(app.gateway)
    ready()
  })
  app.addHook('preClose', (next) => {
    // Not waited for here: the listener closes in this same turn.
    stopped = stop?.().catch((error: unknown) => app.log.error({ err: error }, 'the background did not end well'))
    next()
  })
  app.addHook('onClose', async () => stopped)
  done()
}

export default fp(background, { name: 'ground/background', dependencies: ['ground/gateway'], fastify: '5.x' })
