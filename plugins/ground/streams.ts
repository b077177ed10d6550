// The one budget of answers that stay open. Every room with such answers takes its places from here.
import fp from 'fastify-plugin'
import type { FastifyInstance } from 'fastify'
import { StreamBudget } from '../../src/lib/stream-budget.ts'

declare module 'fastify' {
  interface FastifyInstance {
    streams: StreamBudget
  }
}

function streams(app: FastifyInstance, _options: object, done: () => void): void {
  app.decorate('streams', new StreamBudget(app.config.streamsMax))
  done()
}

export default fp(streams, { name: 'ground/streams', dependencies: ['ground/gateway'], fastify: '5.x' })
