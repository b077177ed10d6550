// The answer to a request that was let in and could not be finished before the process had to end: written past Fastify,
// whose own answer may never come.
import type { FastifyInstance } from 'fastify'
import type { ServerResponse } from 'node:http'
import { refuse } from '../../src/mcp/answer.ts'
import { ENDING_DATA, ENDING_MESSAGE } from '../../src/mcp/pending-calls.ts'
import { CODE } from '../../src/mcp/protocol.ts'
import { securityHeaders } from '../armour/headers.ts'
import { withoutBase } from '../armour/server.ts'

const STATUS = 503
const RETRY_SECONDS = '5'

/** Answers in JSON-RPC at a path that speaks it, else as problem details (RFC 9457). */
export function writeEnding(app: FastifyInstance, answer: ServerResponse): void {
  const isRpc = rpcPaths(app).has(pathOf(app, answer))
  const type = isRpc ? 'application/json' : 'application/problem+json'
  answer.writeHead(STATUS, {
    ...Object.fromEntries(securityHeaders(app.config)),
    'content-type': `${type}; charset=utf-8`,
    'retry-after': RETRY_SECONDS,
    connection: 'close',
  })
  answer.end(isRpc ? refuse(STATUS, CODE.refused, ENDING_MESSAGE, { data: ENDING_DATA }).body : PROBLEM)
}

const PROBLEM = JSON.stringify({
  type: 'about:blank',
  title: ENDING_DATA.code,
  status: STATUS,
  code: ENDING_DATA.code,
  detail: `${ENDING_MESSAGE}.`,
})

const rpcPaths = (app: FastifyInstance): Set<string> =>
  new Set(app.routeTable.filter(({ answers }) => answers === 'json-rpc').map(({ path }) => path))

function pathOf({ config }: FastifyInstance, { req }: ServerResponse): string {
  const url = config.basePath === '' ? (req.url ?? '') : withoutBase(config.basePath)(req)
  return url.split('?', 1)[0] ?? ''
}
