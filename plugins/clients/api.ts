// /api/clients: who is connected, for programs of the owner.
import { Type } from 'typebox'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { portionOf } from '../../src/lib/paging.ts'
import { Client, Count, Gone, isoOf, isoOrNull, List, Numbered, partOf, Scopes, Time, TimeOrNever } from './schemas.ts'
import { clientOf, inWords, placeOfNumber, serverNameOf } from './shown.ts'

const Connection = Type.Object({
  id: Type.Integer(),
  client: Client,
  redirectHost: Type.String({ description: 'Host of the redirect, or its private scheme.' }),
  server: Type.Union([Type.String(), Type.Null()], { description: 'Null for every server within the scopes.' }),
  serverName: Type.String(),
  scopes: Scopes,
  createdAt: Time,
  lastUsedAt: TimeOrNever,
})
export const clientsApi: FastifyPluginAsyncTypebox = async (app) => {
  const { authorizations } = app

  app.get(
    '/api/clients',
    { schema: { querystring: List, response: { 200: partOf(Connection) } } },
    async ({ query }) => {
      const { rows, total, next } = portionOf(authorizations.list(), placeOfNumber, query)
      const items = rows.map((row) => ({
        id: row.id,
        client: clientOf(row.clientId, row.clientName),
        redirectHost: row.redirectHost,
        server: row.server,
        serverName: serverNameOf(app, row),
        scopes: inWords(app, row.scopes),
        createdAt: isoOf(row.createdAt),
        lastUsedAt: isoOrNull(row.lastUsedAt),
      }))
      return { items, total, next }
    },
  )
  app.delete(
    '/api/clients',
    { schema: { response: { 200: Type.Object({ revoked: Count('revoked') }) } } },
    async () => ({ revoked: await authorizations.revokeAll() }),
  )
  app.delete(
    '/api/clients/:id',
    { schema: { params: Numbered, response: { 204: Gone } } },
    async ({ params }, reply) => {
      await authorizations.revoke(params.id)
      return reply.code(204).send(null)
    },
  )
}
