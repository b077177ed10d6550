// The room of who may come in beside the owner: a page for people and an API for programs, over the same operations.
import fp from 'fastify-plugin'
import type { FastifyPluginAsync } from 'fastify'
import { clientsApi } from './api.ts'
import { knownClientsApi } from './known-api.ts'
import { clientPages } from './page.ts'
import { tokensApi } from './tokens-api.ts'

const clients: FastifyPluginAsync = async (app) => {
  await app.register(clientPages)
  await app.register(clientsApi)
  await app.register(knownClientsApi)
  await app.register(tokensApi)
}

export default fp(clients, {
  name: 'clients',
  dependencies: ['doors/operator', 'ground/addresses'],
  encapsulate: true,
  fastify: '5.x',
})
