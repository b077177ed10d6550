// Bodies are JSON or nothing. An empty one is absent, whatever its type says, so that DELETE works for every client.
import fp from 'fastify-plugin'
import type { FastifyInstance } from 'fastify'

function body(app: FastifyInstance, _options: object, done: () => void): void {
  const parse = app.getDefaultJsonParser('error', 'error')
  app.removeAllContentTypeParsers()
  app.addContentTypeParser<string>('application/json', { parseAs: 'string' }, (request, text, next) => {
    if (text.length === 0) return next(null, undefined)
    void parse(request, text, next)
  })
  done()
}

export default fp(body, { name: 'armour/body', fastify: '5.x' })
