// How the authorization server fetches what a client says of itself (OAuth Client ID Metadata Document) and a client's keys:
// through the guarded fetch, whatever address a stranger named.
import { createGuardedFetch, systemPorts, type FetchPorts } from '../lib/guarded-fetch.ts'

const BOUNDS = Object.freeze({
  bytesMax: 10_240,
  timeoutMs: 2_500,
  types: ['application/json', 'application/jwk-set+json', 'application/client-metadata+json'],
})

/** The part of the Fetch standard that the authorization server asks for. */
export type DocumentFetch = (url: string | URL) => Promise<Response>

/**
 * @param ports where the network is reached; there is no setting that opens private networks
 * @returns answers with the document, or rejects with FetchRefused; nothing else of the answer gets through
 */
export function createDocumentFetch(ports: FetchPorts = systemPorts): DocumentFetch {
  const fetchDocument = createGuardedFetch(BOUNDS, ports)
  return async (url) => {
    const { status, headers, body } = await fetchDocument(String(url))
    const kept = new Headers({ 'content-type': headers['content-type'] ?? 'application/json' })
    for (const name of ['cache-control', 'expires'] as const) {
      const value = headers[name]
      if (value !== undefined) kept.set(name, value)
    }
    return new Response(body, { status, headers: kept })
  }
}
