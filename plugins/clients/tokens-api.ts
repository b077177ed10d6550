// /api/tokens: the local tokens, for programs of the owner. A secret is in the answer that made it, and in no other.
import { Type } from 'typebox'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { portionOf } from '../../src/lib/paging.ts'
import { DAYS_MAX, makeToken } from './make-token.ts'
import { Gone, isoOf, isoOrNull, List, Numbered, partOf, Time, TimeOrNever } from './schemas.ts'
import { isKept, placeOfNumber } from './shown.ts'

const State = Type.Union([Type.Literal('live'), Type.Literal('expired'), Type.Literal('revoked')])
const Scopes = Type.Union([Type.Array(Type.String()), Type.Null()], {
  description: 'Null for everything, also on servers that come later.',
})
const Token = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  state: State,
  scopes: Scopes,
  createdAt: Time,
  expiresAt: TimeOrNever,
  lastUsedAt: TimeOrNever,
  revokedAt: TimeOrNever,
})
const Wish = Type.Object(
  {
    name: Type.String({ maxLength: 400 }),
    scopes: Type.Array(Type.String({ maxLength: 80 }), { maxItems: 200, default: [] }),
    everything: Type.Boolean({ default: false, description: 'Instead of scopes.' }),
    expiresInDays: Type.Optional(Type.Integer({ minimum: 1, maximum: DAYS_MAX, description: 'Never when absent.' })),
  },
  { additionalProperties: false },
)
const Made = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  token: Type.String({ description: 'In clear, this once.' }),
  scopes: Scopes,
  expiresAt: TimeOrNever,
})
const Listed = Type.Object({
  ...List.properties,
  revoked: Type.Boolean({ default: false, description: 'Whether revoked ones are listed too.' }),
})

export const tokensApi: FastifyPluginAsyncTypebox = async (app) => {
  const { tokens } = app

  app.get('/api/tokens', { schema: { querystring: Listed, response: { 200: partOf(Token) } } }, async ({ query }) => {
    const asked = query.revoked ? tokens.list() : tokens.list().filter(isKept)
    const { rows, total, next } = portionOf(asked, placeOfNumber, query)
    const items = rows.map(({ id, name, state, scopes, ...times }) => ({
      id,
      name,
      state,
      scopes: scopes === null ? null : [...scopes],
      createdAt: isoOf(times.createdAt),
      expiresAt: isoOrNull(times.expiresAt),
      lastUsedAt: isoOrNull(times.lastUsedAt),
      revokedAt: isoOrNull(times.revokedAt),
    }))
    return { items, total, next }
  })
  app.post('/api/tokens', { schema: { body: Wish, response: { 201: Made } } }, async ({ body }, reply) => {
    const { name, scopes, everything, expiresInDays } = body
    const made = await makeToken(app, { name, scopes, everything, days: expiresInDays })
    return reply.code(201).send({
      id: made.id,
      name: made.name,
      token: made.secret,
      scopes: made.scopes === null ? null : [...made.scopes],
      expiresAt: isoOrNull(made.expiresAt),
    })
  })
  app.delete(
    '/api/tokens',
    { schema: { response: { 200: Type.Object({ revoked: Type.Integer({ description: 'How many were live.' }) }) } } },
    async () => ({ revoked: await tokens.revokeAll() }),
  )
  app.delete(
    '/api/tokens/:id',
    { schema: { params: Numbered, response: { 204: Gone } } },
    async ({ params }, reply) => {
      await tokens.revoke(params.id)
      return reply.code(204).send(null)
    },
  )
}
