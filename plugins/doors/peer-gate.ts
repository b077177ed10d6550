// The gate behind the door of AI clients for other instances of the gateway: nothing is theirs but what was exposed to peers.
import fp from 'fastify-plugin'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { AccessError } from '../../src/errors.ts'
import type { Door } from './behind.ts'

function open(app: FastifyInstance, _options: object, done: () => void): void {
  const { catalog } = app
  app.addHook('onRequest', (request: FastifyRequest, _reply: FastifyReply, next: (error?: Error) => void) => {
    if (request.caller.kind !== 'peer') return next()
    const { server } = request.routeOptions.config
    const isExposed = server !== undefined && catalog.server(server)?.peers === true
    next(isExposed ? undefined : notExposed())
  })
  done()
}

const notExposed = (): AccessError =>
  new AccessError('forbidden', 'PEER_NOT_EXPOSED', 'This is not exposed to other instances.', {
    hint: 'Ask the owner of this gateway to expose it.',
  })

export const peerGate: Door = Object.freeze({
  name: 'peer-gate',
  limit: '',
  plugin: fp(open, { name: 'doors/peer-gate', dependencies: ['doors/caller', 'ground/gateway'], fastify: '5.x' }),
})
