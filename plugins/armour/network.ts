// The first hook of every request: security headers, Host, Origin, set-up, exposure, CORS. One hook, because each one costs.
import fp from 'fastify-plugin'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { AccessError, GatewayError } from '../../src/errors.ts'
import { findOperator } from '../../src/operator/queries.ts'
import { createAdmission, isHost } from './admission.ts'
import { allowAnyOrigin, allowOrigin, allowPreflight, isPreflight, methodsOf } from './cors.ts'
import { createExposureTest, createSetupTest, exposedDoors } from './exposure.ts'
import { securityHeaders, setHeaders } from './headers.ts'
import { ownOrigin } from './self.ts'

const SLASH = 47

function network(app: FastifyInstance, _options: object, done: () => void): void {
  const { config } = app
  const { admitsHost, admitsOrigin } = createAdmission(config)
  const methods = methodsOf(config.eras)
  const isExposed = createExposureTest(config)
  const mayBeExposed = exposedDoors(config)
  const awaitsSetup = createSetupTest(config, () => findOperator(app.database) !== undefined)
  const headers = securityHeaders(config)
  // Older versions of Node drop headers beyond a number without a word, and what a proxy says of a client comes last. Their
  // bytes are bounded.
  app.server.maxHeadersCount = 0
  // An expectation that is not ours to meet may be passed over (RFC 9110 §10.1.1); Node would refuse it past everything here.
  app.server.on('checkExpectation', (request, response) => void app.server.emit('request', request, response))

  app.addHook('onRequest', (request: FastifyRequest, reply: FastifyReply, next: (error?: Error) => void) => {
    const { raw } = request
    setHeaders(reply, headers)
    reply.header('x-request-id', request.id)
    if (raw.url?.charCodeAt(0) !== SLASH) return next(notAPath())
    const { host } = raw.headers
    if (host === undefined || !admitsHost(host, raw.socket)) return next(refusedHost(host))
    const { origin } = raw.headers
    if (origin !== undefined) {
      // No cookie counts and nothing is told there that a page could not read by other means.
      if (request.routeOptions.config.cors === 'open') allowAnyOrigin(reply.raw)
      // Our own pages send Origin with every form; the Host that it has to name was checked just now.
      else if (admitsOrigin(origin) || origin === ownOrigin(request)) allowOrigin(reply.raw, origin)
      else return next(foreignOrigin())
      if (isPreflight(raw)) {
        allowPreflight(raw, reply.raw, methods)
        reply.code(204).send()
        return
      }
    }
    if (awaitsSetup(request)) return next(setupRequired())
    if (isExposed(request) && !mayBeExposed.has(request.routeOptions.config.door)) return next(notExposed())
    next()
  })
  done()
}

const notAPath = (): GatewayError =>
  new GatewayError('invalid', 'URL_INVALID', 'The request must name a path that begins with /.')

/** A foreign name is forbidden; no name, several, or none that could be one is a bad request (RFC 9112 §3.2). */
const refusedHost = (host: string | undefined): GatewayError =>
  host === undefined || !isHost(host)
    ? new GatewayError('invalid', 'HOST_INVALID', 'The request must have one Host header with the name of a host.')
    : foreignHost()

const foreignHost = (): AccessError =>
  new AccessError('forbidden', 'HOST_FOREIGN', 'This gateway does not answer to the name in the Host header.', {
    hint: 'Use the address it printed at its start, or add the name to CROW_ALLOWED_HOSTS.',
  })

/** A page that may not call. */
export const foreignOrigin = (): AccessError =>
  new AccessError('forbidden', 'ORIGIN_FOREIGN', 'Pages of this origin may not call this gateway.', {
    hint: 'Add the origin to CORS_ALLOWED_ORIGINS if it is yours.',
  })

const notExposed = (): AccessError =>
  new AccessError('forbidden', 'NOT_EXPOSED', 'This is not open to the public internet.', {
    hint: 'CROW_GATEWAY_URL exposes the MCP mounts; CROW_DASHBOARD_PUBLIC=1 the pages of the owner as well.',
  })

const setupRequired = (): AccessError =>
  new AccessError('unavailable', 'SETUP_REQUIRED', 'This gateway has no owner yet, so it serves nothing else.', {
    hint: 'Set a password at /setup, with the code that `bin/crow operator setup-code` shows.',
  })

export default fp(network, {
  name: 'armour/network',
  dependencies: ['armour/errors', 'ground/gateway'],
  fastify: '5.x',
})
