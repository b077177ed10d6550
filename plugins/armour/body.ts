// Bodies are JSON in UTF-8 or nothing. An empty one is absent, whatever its type says, so that DELETE works for every client.
import fp from 'fastify-plugin'
import { isUtf8 } from 'node:buffer'
import type { FastifyInstance } from 'fastify'
import { GatewayError } from '../../src/errors.ts'
import { excessOf } from './excess.ts'

function body(app: FastifyInstance, _options: object, done: () => void): void {
  const parse = app.getDefaultJsonParser('error', 'error')
  app.removeAllContentTypeParsers()
  app.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, (request, bytes, next) => {
    if (bytes.length === 0) return next(null, undefined)
    // Decoding would put U+FFFD in place of what it cannot read, and the loss would be stored.
    if (!isUtf8(bytes)) return next(notUtf8())
    const excess = excessOf(bytes)
    if (excess !== undefined) return next(tooMuch(excess))
    void parse(request, bytes.toString('utf8'), next)
  })
  done()
}

/** RFC 8259 §8.1: JSON between systems is UTF-8. */
const notUtf8 = (): GatewayError =>
  new GatewayError('invalid', 'JSON_INVALID', 'The body is not valid JSON.', { hint: 'Send it in UTF-8.' })

const tooMuch = (excess: string): GatewayError =>
  new GatewayError('invalid', 'JSON_EXCESSIVE', `The body is JSON ${excess}.`, { hint: 'Send it in several requests.' })

export default fp(body, { name: 'armour/body', fastify: '5.x' })
