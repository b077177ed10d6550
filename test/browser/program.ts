// A program that asks to be let in: it waits for the answer of the browser, on this machine or as a web site of a name under `.example`.
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { join } from 'node:path'
import type { TestContext } from 'node:test'

export interface Program {
  readonly redirectUri: string
  /** The query that the next answer comes with. */
  next(): Promise<URLSearchParams>
}

const pem = (name: string): string => readFileSync(join(import.meta.dirname, '../fixtures/tls', name), 'utf8')

/** @param host a name of this machine; any other is one of a web site, which speaks https */
export async function program(t: TestContext, host: string): Promise<Program> {
  const waiting: ((query: URLSearchParams) => void)[] = []
  const answer: RequestListener = (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost')
    response.setHeader('content-type', 'text/html')
    response.end('<!doctype html><title>Done</title><link rel="icon" href="data:,">You can close this page.')
    if (pathname === '/callback') waiting.shift()?.(searchParams)
  }
  const isSite = host.endsWith('.example')
  const server = isSite
    ? createTlsServer({ key: pem('server-key.pem'), cert: pem('server.pem') }, answer)
    : createServer(answer)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const bound = server.address()
  const port = typeof bound === 'object' && bound !== null ? bound.port : 0
  return {
    redirectUri: `${isSite ? 'https' : 'http'}://${host}:${port}/callback`,
    next: () => new Promise((resolve) => waiting.push(resolve)),
  }
}
