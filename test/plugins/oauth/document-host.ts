// A web site that holds the metadata document of a client.
import type { TestContext } from 'node:test'
import { createDocumentFetch, type DocumentFetch } from '../../../src/oauth/client-documents.ts'
import { SITE, webSite } from '../../fixtures/web-site.ts'

export const DOCUMENT_URL = `https://${SITE}/oauth/client.json`

export interface DocumentHost {
  readonly fetchDocument: DocumentFetch
  /** Paths that were asked for. */
  readonly asked: string[]
}

/** @param metadata beside the client_id */
export async function documentHost(t: TestContext, metadata: object): Promise<DocumentHost> {
  const asked: string[] = []
  const { ports } = await webSite(t, (request, response) => {
    asked.push(request.url ?? '')
    response.writeHead(200, { 'content-type': 'application/json', 'cache-control': 'max-age=60' })
    response.end(JSON.stringify({ client_id: DOCUMENT_URL, ...metadata }))
  })
  return { asked, fetchDocument: createDocumentFetch(ports) }
}
