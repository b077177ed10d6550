// A web site that holds the metadata document of a client: https on loopback under the certificate authority of the tests, found by
// the guarded fetch of the gateway under a public address that only this test has.
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:https'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { connect as connectTls } from 'node:tls'
import type { FetchPorts } from '../../../src/lib/guarded-fetch.ts'
import { createDocumentFetch, type DocumentFetch } from '../../../src/oauth/client-documents.ts'

export const DOCUMENT_URL = 'https://client.example/oauth/client.json'

const pem = (name: string): string => readFileSync(join(import.meta.dirname, '../../fixtures/tls', name), 'utf8')

export interface DocumentHost {
  readonly fetchDocument: DocumentFetch
  /** Paths that were asked for. */
  readonly asked: string[]
}

/** @param metadata beside the client_id */
export async function documentHost(t: TestContext, metadata: object): Promise<DocumentHost> {
  const asked: string[] = []
  const server = createServer({ key: pem('server-key.pem'), cert: pem('server.pem') }, (request, response) => {
    asked.push(request.url ?? '')
    response.writeHead(200, { 'content-type': 'application/json', 'cache-control': 'max-age=60' })
    response.end(JSON.stringify({ client_id: DOCUMENT_URL, ...metadata }))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const bound = server.address()
  const port = typeof bound === 'object' && bound !== null ? bound.port : 0
  const ports: FetchPorts = {
    resolve: (name) => Promise.resolve(name === 'client.example' ? ['93.184.216.34'] : []),
    connect: ({ name }) => connectTls({ host: '127.0.0.1', port, servername: name, ca: pem('ca.pem') }),
  }
  return { asked, fetchDocument: createDocumentFetch(ports) }
}
