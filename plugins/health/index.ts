// GET /health: whether the gateway is up and what it offers, as the catalog has it now. No facts about the machine. While it shuts down the answer is 503 with `draining`.
import fp from 'fastify-plugin'
import { Type } from 'typebox'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'

const Health = Type.Object({
  status: Type.Union([Type.Literal('ok'), Type.Literal('draining')]),
  servers: Type.Array(Type.String(), { description: 'Ids of the mounted servers.' }),
  externalServers: Type.Array(Type.Object({ id: Type.String(), name: Type.String(), tools: Type.Integer() }), {
    description: 'Mounted servers with tools that others serve.',
  }),
  toolCounts: Type.Object({
    core: Type.Integer(),
    external: Type.Integer(),
    total: Type.Integer(),
    routerMode: Type.Union([Type.Integer(), Type.Null()], {
      description: 'Tools a client of the router sees; null without a router.',
    }),
  }),
})

const health: FastifyPluginAsyncTypebox = async (app) => {
  const { catalog } = app
  app.route({
    method: ['GET', 'HEAD'],
    url: '/health',
    config: { beforeSetup: true },
    schema: { response: { 200: Health, 503: Health } },
    handler: (_request, reply) => {
      const { isDraining } = app.shutdown
      reply.code(isDraining ? 503 : 200)
      return {
        status: isDraining ? ('draining' as const) : ('ok' as const),
        servers: catalog.servers.filter(({ derived }) => !derived).map(({ id }) => id),
        externalServers: catalog.servers
          .filter(({ externalCount }) => externalCount > 0)
          .map(({ id, title, externalCount }) => ({ id, name: title ?? id, tools: externalCount })),
        toolCounts: catalog.counts(),
      }
    },
  })
}

export default fp(health, {
  name: 'health',
  dependencies: ['doors/anyone', 'ground/shutdown'],
  encapsulate: true,
  fastify: '5.x',
})
