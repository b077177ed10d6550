// The room of the MCP endpoints: for every server of the catalog, and for each of its aliases, `<mount>/mcp`, and the pair
// `<mount>/sse` and `<mount>/messages` of 2024-11-05.
// Which answer a request gets is decided in src/mcp; here are only routes, bodies and sockets.
import fp from 'fastify-plugin'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { scopeNeeded } from '../../src/mcp/scope-need.ts'
import { notAllowed } from '../../src/mcp/answer.ts'
import { Begun } from '../../src/mcp/begun.ts'
import { headerOf } from '../../src/mcp/protocol.ts'
import { isRecord } from '../../src/lib/json.ts'
import type { Caller } from '../../src/runtime/context.ts'
import { allowedMethods, createWire, isBatch, type Endpoint, type Wire } from '../../src/mcp/wire.ts'
import { chargeMore } from '../armour/limits.ts'
import { isWelcome } from '../doors/staying.ts'
import { rpcFailure } from './failures.ts'
import { shownAs } from './profile.ts'
import { refuseScope } from './scopes.ts'
import { exchangeOf, sendAnswer, sendSegments } from './send.ts'

const wires = new WeakMap<object, Wire>()

/** The wire of an app, for tests that look at its counters and sessions. */
export function wireOf(app: FastifyInstance): Wire {
  const wire = wires.get(app.server)
  if (wire === undefined) throw new Error('this app has no MCP room')
  return wire
}

async function room(app: FastifyInstance): Promise<void> {
  const { catalog, config } = app
  const wire = createWire({
    catalog,
    eras: config.eras,
    sessions: config.sessions,
    streams: app.streams,
    isWelcome: (callerId) => isWelcome(app, callerId),
    onError: (error) => app.log.debug({ err: error }, 'mcp: an answer could not be delivered'),
  })
  wires.set(app.server, wire)
  const off = app.tokens.verified.onClear(() => wire.sessions.dismiss())
  app.setErrorHandler(rpcFailure)
  app.shutdown.join({
    isBusy: () => wire.calls.size > 0,
    cut: () => wire.calls.cut(),
    end: async () => {
      off()
      await wire.close()
    },
  })
  for (const served of catalog.servers) {
    const endpoint = wire.endpoint(served.id)
    for (const mount of [served.mount, ...served.aliases]) {
      const base = mount === '/' ? '' : mount
      open(app, `${base}/mcp`, endpoint)
      if (config.eras !== '2026') openSse(app, base, endpoint)
    }
  }
}

function open(app: FastifyInstance, url: string, endpoint: Endpoint): void {
  const options = {
    config: { answers: 'json-rpc' as const, server: endpoint.served.id },
    bodyLimit: app.config.bodyBytesMax,
  }
  const serve = (request: FastifyRequest, reply: FastifyReply) => answer(endpoint, request, reply)
  app.post(url, options, (request, reply) => post(endpoint, request, reply))
  app.get(url, options, serve)
  app.delete(url, options, serve)
  const allow = allowedMethods(app.config.eras)
  app.options(url, options, (_request, reply) => reply.code(204).header('allow', allow).send())
}

/** The pair of paths of 2024-11-05. The server takes a public path off before routing; a client is told the whole one. */
function openSse(app: FastifyInstance, base: string, endpoint: Endpoint): void {
  const [events, messages] = [`${base}/sse`, `${base}/messages`]
  const config = { answers: 'json-rpc' as const, server: endpoint.served.id }
  const announced = `${app.config.basePath}${messages}`
  app.get(events, { config }, async (request, reply) => {
    const missing = scopeNeeded(endpoint.served, undefined, request.caller)
    if (missing !== undefined) return refuseScope(request, reply, missing, undefined)
    return sendAnswer(reply, await endpoint.openSse(exchangeOf(request, reply, shownAs(endpoint, request)), announced))
  })
  // A client that does not know the transport of an address tries the newer one first, and goes on by the status.
  app.post(events, { config }, (_request, reply) => sendAnswer(reply, notAllowed('GET, OPTIONS')))
  app.options(events, { config }, (_request, reply) => reply.code(204).header('allow', 'GET, OPTIONS').send())
  // Nobody connects to this path: whoever posts here connected to the stream, and that is what a token is for.
  const beside = { ...config, resource: events }
  app.post(messages, { config: beside, bodyLimit: app.config.bodyBytesMax }, async (request, reply) => {
    if (isBatch(request.body)) chargeMore(request, request.body.length - 1)
    const missing = scopeNeeded(endpoint.served, request.body, request.caller)
    const id = sessionIdOf(request.query)
    if (missing !== undefined) return refuseScope(request, reply, missing, markOf(request, id))
    return sendAnswer(reply, await endpoint.postSse(exchangeOf(request, reply), id))
  })
  app.options(messages, { config: beside }, (_request, reply) =>
    reply.code(204).header('allow', 'POST, OPTIONS').send(),
  )
}

const markOf = ({ server, caller }: FastifyRequest, id: string | undefined): string | undefined =>
  id === undefined ? undefined : wires.get(server.server)?.sessions.markOf(id, caller.id)

/** The one `sessionId` of a query. Several are as good as none. */
function sessionIdOf(query: unknown): string | undefined {
  const id = isRecord(query) ? query['sessionId'] : undefined
  return typeof id === 'string' && id !== '' ? id : undefined
}

// As Fastify would write it for text; segments get it from here.
const JSON_TYPE = 'application/json; charset=utf-8'

/** Most requests end here: the text is ready, or will be, and goes out without a serializer. */
function post(endpoint: Endpoint, request: FastifyRequest, reply: FastifyReply): void | Promise<void> {
  const { raw, body } = request
  // The door has charged one request; what comes in one body costs as much as it would alone.
  if (isBatch(body)) chargeMore(request, body.length - 1)
  const caller = shownAs(endpoint, request)
  const missing = scopeNeeded(endpoint.served, body, caller)
  if (missing !== undefined)
    return refuseScope(request, reply, missing, markOf(request, headerOf(raw.headers['mcp-session-id'])))
  const hot = endpoint.hot.answer(raw.headers, body, caller, reply.raw)
  if (hot === undefined) return answer(endpoint, request, reply, caller)
  reply.header('content-type', JSON_TYPE)
  if (hot.sessionId !== undefined) reply.header('mcp-session-id', hot.sessionId)
  if (hot.body instanceof Promise)
    void hot.body.then(
      (text): void | Promise<void> =>
        text instanceof Begun ? goOn(endpoint, request, reply, text) : send(reply, text),
      (error: unknown) => reply.send(error),
    )
  else if (typeof hot.body === 'string') reply.send(hot.body)
  else sendSegments(reply, hot.body)
}

function send(reply: FastifyReply, text: string | null): void {
  if (text === null) reply.code(202).send()
  else reply.send(text)
}

/** The call has run; what is left is a question, or an answer that needs more than text. */
async function goOn(endpoint: Endpoint, request: FastifyRequest, reply: FastifyReply, begun: Begun): Promise<void> {
  try {
    await sendAnswer(reply, await endpoint.serve({ ...exchangeOf(request, reply), begun }))
  } catch (error) {
    reply.send(error)
  }
}

async function answer(
  endpoint: Endpoint,
  request: FastifyRequest,
  reply: FastifyReply,
  caller?: Caller,
): Promise<void> {
  return sendAnswer(reply, await endpoint.serve(exchangeOf(request, reply, caller)))
}

export default fp(room, {
  name: 'mcp',
  dependencies: ['doors/caller', 'doors/peer-gate', 'ground/streams', 'ground/shutdown'],
  encapsulate: true,
  fastify: '5.x',
})
