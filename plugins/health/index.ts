// GET /health: whether the gateway is up and what it offers, as the catalog has it now. No facts about the machine. While it shuts down the answer is 503 with `draining`.
import fp from 'fastify-plugin'
import { Type, type Static } from 'typebox'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { CompiledServer } from '../../src/runtime/compiled.ts'
import { SOURCE_STATES } from '../../src/runtime/source.ts'

const ExternalServer = Type.Object({
  id: Type.String(),
  name: Type.String(),
  tools: Type.Integer(),
  status: Type.Enum(SOURCE_STATES),
})

const Health = Type.Object({
  status: Type.Union([Type.Literal('ok'), Type.Literal('draining')]),
  servers: Type.Array(Type.String(), { description: 'Ids of the mounted servers.' }),
  externalServers: Type.Array(ExternalServer, {
    description:
      'Servers of others whose tools are shown here, and whether each is up. Why one is not, `/api/health` says.',
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
        externalServers: catalog.servers.flatMap(externalServersOf),
        toolCounts: catalog.counts(),
      }
    },
  })
}

/** Each that a source tells of; a source that tells of none is one itself. */
function externalServersOf(server: CompiledServer): Static<typeof ExternalServer>[] {
  const { id, title, externalCount } = server
  const known = server.statuses()
  if (known.length > 0) return known.map(({ id: of, name, tools, status }) => ({ id: of, name, tools, status }))
  return externalCount > 0 ? [{ id, name: title ?? id, tools: externalCount, status: 'ready' }] : []
}

export default fp(health, {
  name: 'health',
  dependencies: ['doors/anyone', 'ground/shutdown'],
  encapsulate: true,
  fastify: '5.x',
})
