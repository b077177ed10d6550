// The stylesheet of all pages. Its name holds the hash of its text, so a browser asks for it once.
import fp from 'fastify-plugin'
import type { FastifyPluginAsync } from 'fastify'
import { stylesheet, stylesheetPath } from '../../src/pages/style.ts'

const assets: FastifyPluginAsync = async (app) => {
  app.get(stylesheetPath, { config: { answers: 'text', beforeSetup: true } }, (_request, reply) =>
    reply
      .header('cache-control', 'public, max-age=31536000, immutable')
      .type('text/css; charset=utf-8')
      .send(stylesheet),
  )
}

export default fp(assets, { name: 'login/assets', dependencies: ['doors/anyone'], encapsulate: true, fastify: '5.x' })
