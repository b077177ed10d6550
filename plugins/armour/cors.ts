// Cross-origin calls of browser clients (Fetch standard §3.3). Only consulted when a request carries an Origin that was admitted.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Config } from '../../src/config.ts'

/** Methods of all routes together. Nothing but a session is deleted, and only the older era has sessions. */
export const methodsOf = (eras: Config['eras']): string => (eras === '2026' ? 'POST, GET' : 'POST, GET, DELETE')

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Pages of every origin may call this route: discovery, and endpoints where credentials come in the request itself. */
    cors?: 'open'
  }
}

const REQUEST_HEADERS = [
  'authorization',
  'content-type',
  'accept',
  'mcp-protocol-version',
  'mcp-session-id',
  'mcp-method',
  'mcp-name',
  'last-event-id',
  'traceparent',
  'tracestate',
  'crow-device',
  'crow-project',
] as const
const EXPOSED = 'Mcp-Session-Id, WWW-Authenticate, Retry-After, X-Request-Id'
const PREFLIGHT_SECONDS = '7200'
/** Parameters of a tool call mirrored into headers have names of their own. */
const PARAMETER_HEADER = /^mcp-param-[\w!#$%&'*+.^`|~-]{1,100}$/

/** Lets the page that asked read this answer. Bearer tokens travel in a header that script sets: credentials are never allowed. */
export function allowOrigin(response: ServerResponse, origin: string): void {
  response.setHeader('access-control-allow-origin', origin)
  response.setHeader('access-control-expose-headers', EXPOSED)
  response.setHeader('vary', 'Origin')
}

/** Lets any page read this answer. Only for what no cookie opens. */
export function allowAnyOrigin(response: ServerResponse): void {
  response.setHeader('access-control-allow-origin', '*')
  response.setHeader('access-control-expose-headers', EXPOSED)
}

/** Whether this is the question a browser asks before a call, as against an ordinary OPTIONS request. */
export function isPreflight(request: IncomingMessage): boolean {
  return request.method === 'OPTIONS' && request.headers['access-control-request-method'] !== undefined
}

/** Sets what a preflight asks for; the caller ends the answer with 204. */
export function allowPreflight(request: IncomingMessage, response: ServerResponse, methods: string): void {
  const asked = (request.headers['access-control-request-headers'] ?? '').toLowerCase()
  const parameters = asked
    .split(',', 200)
    .map((name) => name.trim())
    .filter((name) => PARAMETER_HEADER.test(name))
  response.setHeader('access-control-allow-methods', methods)
  response.setHeader('access-control-allow-headers', [...REQUEST_HEADERS, ...parameters].join(', '))
  response.setHeader('access-control-max-age', PREFLIGHT_SECONDS)
}
