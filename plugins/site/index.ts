// What browsers and crawlers ask every site for: its first page, robots.txt, and the manifest by which a phone installs the dashboard.
import fp from 'fastify-plugin'
import { Type, type Static } from 'typebox'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { seeOther } from '../armour/pages.ts'
import { ICON_SVG } from './icon.ts'

/** Nothing here is for an index (RFC 9309): a gateway is found by whoever it was given to. */
const ROBOTS = 'User-agent: *\nDisallow: /\n'
const DAY_S = 86_400

const Manifest = Type.Object({
  name: Type.String(),
  short_name: Type.String(),
  description: Type.String(),
  id: Type.String(),
  start_url: Type.String(),
  scope: Type.String(),
  display: Type.Literal('standalone'),
  background_color: Type.String(),
  theme_color: Type.String(),
  icons: Type.Array(
    Type.Object({ src: Type.String(), type: Type.String(), sizes: Type.String(), purpose: Type.String() }),
  ),
})

const site: FastifyPluginAsyncTypebox = async (app) => {
  const { basePath } = app.config
  const cached = `public, max-age=${DAY_S}`

  // For whoever opens the address that the start prints; a client that takes it for a stream is told that it is none.
  app.route({
    method: ['GET', 'HEAD'],
    url: '/',
    config: { answers: 'text' },
    handler: (request, reply) =>
      request.headers.accept?.includes('text/event-stream') === true
        ? reply.callNotFound()
        : seeOther(reply, '/account'),
  })
  app.route({
    method: ['GET', 'HEAD'],
    url: '/robots.txt',
    config: { answers: 'text' },
    handler: (_request, reply) => reply.header('cache-control', cached).type('text/plain; charset=utf-8').send(ROBOTS),
  })
  app.route({
    method: ['GET', 'HEAD'],
    url: '/manifest.webmanifest',
    schema: { response: { 200: { content: { 'application/manifest+json': { schema: Manifest } } } } },
    handler: (_request, reply) => {
      reply.header('cache-control', cached).type('application/manifest+json')
      return manifestOf(basePath)
    },
  })
  app.route({
    method: ['GET', 'HEAD'],
    url: '/icon.svg',
    config: { answers: 'text' },
    handler: (_request, reply) => reply.header('cache-control', cached).type('image/svg+xml').send(ICON_SVG),
  })
}

function manifestOf(basePath: string): Static<typeof Manifest> {
  return {
    name: 'Crow',
    short_name: 'Crow',
    description: 'A personal AI gateway: one memory, one set of tools, for every AI client you use.',
    id: `${basePath}/`,
    start_url: `${basePath}/account`,
    scope: `${basePath}/`,
    display: 'standalone',
    background_color: '#ffffff',
    theme_color: '#1b1f27',
    icons: [{ src: `${basePath}/icon.svg`, type: 'image/svg+xml', sizes: 'any', purpose: 'any' }],
  }
}

export default fp(site, { name: 'site', dependencies: ['doors/anyone'], encapsulate: true, fastify: '5.x' })
