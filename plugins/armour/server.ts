// How the HTTP server itself behaves, before any plugin: bounds, whose word about addresses counts, and the last-resort refusals.
import { LogController, type FastifyHttpOptions } from 'fastify'
import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Config } from '../../src/config.ts'
import type { JsonLog } from '../../src/lib/log.ts'
import { describeFailure } from './failure.ts'
import { problemOf } from './errors.ts'
import { securityHeaders } from './headers.ts'

// An import would evaluate every export of the module, and one of them loads a whole HTTP client: a tenth of a start.
const { ServerResponse } = process.getBuiltinModule('node:http')

/** How long a client may take to send a whole request. */
const REQUEST_MS = 60_000

/** Options of the Fastify constructor. */
export function serverOptions(config: Config, log: JsonLog): FastifyHttpOptions<Server> & { loggerInstance: JsonLog } {
  return {
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }),
    // One logger for all requests: a child for each costs more than it tells. Failures are logged with their request id.
    childLoggerFactory: (logger) => logger,
    ajv: { customOptions: { removeAdditional: false } },
    bodyLimit: config.bodyBytesMax,
    requestIdHeader: false,
    trustProxy: config.trustedProxies.length === 0 ? false : [...config.trustedProxies],
    forceCloseConnections: true,
    // Whoever still has a connection while the gateway drains is answered, and told that it was the last time.
    return503OnClosing: false,
    exposeHeadRoutes: false,
    requestTimeout: REQUEST_MS,
    // A line that may come once and comes twice is not decided by the first: joined, it is no host, token or type any more.
    // A missing Host is refused like any other bad one, in our words and with our headers.
    http: { joinDuplicateHeaders: true, requireHostHeader: false },
    frameworkErrors: (error, request, reply) => {
      const failure = describeFailure(error)
      const body = problemOf(failure, request.id)
      reply.raw.writeHead(failure.status, {
        ...Object.fromEntries(securityHeaders(config)),
        'x-request-id': request.id,
        'content-type': 'application/problem+json',
        'content-length': Buffer.byteLength(body),
      })
      reply.raw.end(body)
    },
    clientErrorHandler: (error, socket) => refuseBadBytes(config, error, socket),
    ...(config.basePath === '' ? {} : { rewriteUrl: withoutBase(config.basePath) }),
  }
}

/** A proxy may strip the public path or pass it on; below it and at the root the same routes answer. */
export function withoutBase(basePath: string): (request: Pick<IncomingMessage, 'url'>) => string {
  return ({ url = '/' }) => {
    if (!url.startsWith(basePath)) return url
    const rest = url.slice(basePath.length)
    return rest === '' || rest.startsWith('?') ? `/${rest}` : rest.startsWith('/') ? rest : url
  }
}

const STATUS_LINES: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
}

/** Bytes that are no HTTP request: a short answer straight to the socket, with the same headers as every other. */
function refuseBadBytes(config: Config, error: NodeJS.ErrnoException, socket: Socket): void {
  const isDeaf = error.code === 'ECONNRESET' || socket.destroyed || !socket.writable
  if (isDeaf || isAnswering(socket)) return void socket.destroy()
  const headers = securityHeaders(config)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')
  const line = STATUS_LINES[error.code ?? ''] ?? '400 Bad Request'
  socket.end(`HTTP/1.1 ${line}\r\n${headers}content-length: 0\r\nconnection: close\r\n\r\n`)
}

/**
 * Whether a connection owes an answer to a good request, or has begun one: whatever is written then would be taken for that
 * answer, or for a part of it. Node keeps the answer whose turn it is in this property, and asks it the same before it writes
 * refusals of its own.
 */
function isAnswering(socket: Socket): boolean {
  const answer: unknown = Reflect.get(socket, '_httpMessage')
  return answer instanceof ServerResponse && (answer.headersSent || answer.req.complete)
}
