// /api/clients/consents and /api/clients/registered: what clients may ask without a question, and who may ask at all.
import { Type } from 'typebox'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { portionOf } from '../../src/lib/paging.ts'
import { Client, Count, Gone, isoOf, isoOrNull, Keyed, List, partOf, Scopes, Time, TimeOrNever } from './schemas.ts'
import { clientOf, inWords, placeOfKey, serversOf } from './shown.ts'

const Consent = Type.Object({
  key: Type.String(),
  client: Client,
  servers: Type.Array(Type.String(), { description: 'Ids of servers; `all` for every one.' }),
  scopes: Scopes,
  createdAt: Time,
})
const Registered = Type.Object({
  key: Type.String(),
  client: Client,
  origin: Type.Union([Type.Literal('registered'), Type.Literal('made')]),
  redirectHosts: Type.Array(Type.String()),
  createdAt: Time,
  lastUsedAt: TimeOrNever,
})

export const knownClientsApi: FastifyPluginAsyncTypebox = async (app) => {
  const { knownClients } = app

  app.get(
    '/api/clients/consents',
    { schema: { querystring: List, response: { 200: partOf(Consent) } } },
    async ({ query }) => {
      const { rows, total, next } = portionOf(knownClients.consents(), placeOfKey, query)
      const items = rows.map((row) => ({
        key: row.key,
        client: clientOf(row.clientId, row.clientName),
        servers: serversOf(app, row),
        scopes: inWords(app, row.scopes),
        createdAt: isoOf(row.createdAt),
      }))
      return { items, total, next }
    },
  )
  app.delete(
    '/api/clients/consents',
    { schema: { response: { 200: Type.Object({ forgotten: Count('forgotten') }) } } },
    async () => ({ forgotten: await knownClients.forgetConsents() }),
  )
  app.delete(
    '/api/clients/consents/:key',
    { schema: { params: Keyed, response: { 204: Gone } } },
    async ({ params }, reply) => {
      await knownClients.forgetConsent(params.key)
      return reply.code(204).send(null)
    },
  )

  app.get(
    '/api/clients/registered',
    { schema: { querystring: List, response: { 200: partOf(Registered) } } },
    async ({ query }) => {
      const { rows, total, next } = portionOf(knownClients.list(), placeOfKey, query)
      const items = rows.map((row) => ({
        key: row.key,
        client: clientOf(row.clientId, row.name),
        origin: row.origin,
        redirectHosts: [...row.redirectHosts],
        createdAt: isoOf(row.createdAt),
        lastUsedAt: isoOrNull(row.lastUsedAt),
      }))
      return { items, total, next }
    },
  )
  app.delete(
    '/api/clients/registered/:key',
    { schema: { params: Keyed, response: { 204: Gone } } },
    async ({ params }, reply) => {
      await knownClients.forget(params.key)
      return reply.code(204).send(null)
    },
  )
}
