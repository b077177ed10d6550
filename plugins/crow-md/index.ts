// GET /crow.md: how the owner wants to be served, as Markdown, for clients that load a file instead of calling a tool.
import fp from 'fastify-plugin'
import { Type } from 'typebox'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { AccessError, DomainError } from '../../src/errors.ts'
import { sha256Hex } from '../../src/lib/hashing.ts'
import { isRecord } from '../../src/lib/json.ts'
import { BAD_PLACE, placedCaller } from '../../src/mcp/place-headers.ts'
import { NAME } from '../../src/runtime/schema/text-patterns.ts'
import { CROW_MD, mayReadSections, readCrowMd, SECTIONS_SCOPE } from '../../src/servers/memory/reading.ts'
import { PLATFORMS } from '../../src/servers/memory/render/crow-md.ts'
import { challengeOf } from '../doors/challenge.ts'

const ETAG_CHARS = 32
const VARY = 'Authorization, Origin, Crow-Device, Crow-Project'
const NO_SCOPE = 'This access does not cover crow.md.'

const Wish = Type.Object(
  {
    platform: Type.Optional(Type.Enum([...PLATFORMS], { description: 'How notes are shown; generic when absent.' })),
    device: Type.Optional(Type.String({ minLength: 1, maxLength: 200, pattern: NAME })),
    project: Type.Optional(Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })),
    dynamic: Type.Optional(Type.Enum(['true', 'false', '1', '0'], { description: 'With the overview of memories.' })),
  },
  { additionalProperties: false },
)

const crowMd: FastifyPluginAsyncTypebox = async (app) => {
  const { catalog } = app
  app.route({
    method: ['GET', 'HEAD'],
    url: CROW_MD.path,
    config: { answers: 'text', server: CROW_MD.server },
    schema: { querystring: Wish },
    preValidation: async (request) => dropEmpty(request.query),
    handler: async (request, reply) => {
      const { query } = request
      if (!mayReadSections(request.caller)) throw refusal(request, reply)
      const caller = placedCaller(request.headers, request.caller)
      if (caller === undefined) throw new DomainError('invalid', 'REQUEST_INVALID', BAD_PLACE)
      const text = await readCrowMd(catalog, {
        caller,
        platform: query.platform ?? 'generic',
        ...(query.device === undefined ? {} : { deviceId: query.device }),
        ...(query.project === undefined ? {} : { projectId: query.project }),
        dynamic: query.dynamic !== 'false' && query.dynamic !== '0',
      })
      if (typeof text !== 'string') throw text
      const etag = `"${sha256Hex(text).slice(0, ETAG_CHARS)}"`
      // What one caller may read must not be kept for another, and is asked for again each time.
      reply.headers({ etag, 'cache-control': 'private, no-cache', vary: VARY })
      if (isKnown(request.headers['if-none-match'], etag)) return reply.code(304).send()
      return reply.type('text/markdown; charset=utf-8').send(text)
    },
  })
}

/** `?device=` is as good as none. */
function dropEmpty(query: unknown): void {
  if (!isRecord(query)) return
  for (const [name, value] of Object.entries(query)) if (value === '') delete query[name]
}

/** Whether the client has this already (RFC 9110 §13.1.2: compared weakly). */
function isKnown(header: string | undefined, etag: string): boolean {
  return (header ?? '')
    .split(',')
    .map((tag) => tag.trim().replace(/^W\//, ''))
    .some((tag) => tag === etag || tag === '*')
}

/** Other instances are not told to come back with a scope: none opens this to them. */
function refusal(request: FastifyRequest, reply: FastifyReply): AccessError {
  if (request.caller.kind === 'peer')
    return new AccessError('forbidden', 'PEER_NOT_EXPOSED', 'crow.md is not exposed to other instances.')
  const more = { error: 'insufficient_scope', description: NO_SCOPE, scope: SECTIONS_SCOPE } as const
  reply.header('www-authenticate', challengeOf(request, more))
  return new AccessError('forbidden', 'SCOPE_INSUFFICIENT', NO_SCOPE, {
    hint: `Connect again and ask for the scope ${SECTIONS_SCOPE}.`,
  })
}

export default fp(crowMd, {
  name: 'crow-md',
  dependencies: ['doors/caller', 'doors/peer-gate'],
  encapsulate: true,
  fastify: '5.x',
})
