// What runs beside the answers while the gateway serves: begins when everything is ready, ends before anything closes.
import fp from 'fastify-plugin'
import type { FastifyInstance } from 'fastify'
import { startBackground } from '../../src/gateway.ts'

function background(app: FastifyInstance, _options: object, done: () => void): void {
  let stop: (() => Promise<void>) | undefined
  app.addHook('onReady', (ready) => {
    stop = startBackground(app.gateway)
    ready()
  })
  app.addHook('preClose', async () => stop?.())
  done()
}

export default fp(background, { name: 'ground/background', dependencies: ['ground/gateway'], fastify: '5.x' })
