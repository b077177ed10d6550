// How the authorization server fetches what a client says of itself (OAuth Client ID Metadata Document) and a client's keys:
// through the guarded fetch, whatever address a stranger named.
import type { Database } from '../db/client.ts'
import { createGuardedFetch, FetchFailed, systemPorts, type FetchPorts } from '../lib/guarded-fetch.ts'
import { isRecord } from '../lib/json.ts'
import type { Clock } from '../runtime/context.ts'
import { keptMetadata } from './registration.ts'
import { findDocument, putDocument } from './store/remembered/queries.ts'

const BOUNDS = Object.freeze({
  bytesMax: 10_240,
  timeoutMs: 2_500,
  types: ['application/json', 'application/jwk-set+json', 'application/client-metadata+json'],
})

/** The part of the Fetch standard that the authorization server asks for. */
export type DocumentFetch = (url: string | URL) => Promise<Response>

/**
 * How the id of a client that has a document is written: https in lower case, so that every look at it sees an address, a
 * host and a path (OAuth Client ID Metadata Document §3), and no longer than somebody could mean.
 */
const ADDRESS = /^https:\/\/[^/?#]+\/[^#]*$/
const ADDRESS_CHARS_MAX = 2048

export const isDocumentAddress = (id: string): boolean => id.length <= ADDRESS_CHARS_MAX && ADDRESS.test(id)

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

/** What no document may hold: passed on, so that it is refused by its name. */
const FORBIDDEN = ['client_secret', 'client_secret_expires_at'] as const

/** What is taken of a document; what the rest of it names is neither read nor fetched. */
export function keptDocument(sent: Readonly<Record<string, unknown>>, id: unknown): Record<string, unknown> {
  return { ...keptMetadata(sent), client_id: id }
}

/**
 * The same fetch for documents only, with a memory: of a client that was let in, the last good document stands in while
 * its host does not answer. One that is answered with something else, or no longer there, ends the client as before.
 */
export function withMemory(fetchDocument: DocumentFetch, db: Database, clock: Pick<Clock, 'now'>): DocumentFetch {
  return async (url) => {
    const id = String(url)
    const response = await fetchDocument(id).catch((error: unknown) => {
      const kept = error instanceof FetchFailed ? findDocument(db, id) : undefined
      if (kept === undefined) throw error
      return Response.json(kept)
    })
    const text = await response.text()
    const sent = parse(text)
    // What is no object is refused in the words of whoever asked.
    if (!isRecord(sent)) return new Response(text, response)
    const document = keptDocument(sent, sent['client_id'])
    const held = findDocument(db, id)
    if (held !== undefined && sent['client_id'] === id && JSON.stringify(held) !== JSON.stringify(document))
      await db.write((tx) => putDocument(tx, { id, document, keptAt: clock.now() }))
    for (const name of FORBIDDEN) if (name in sent) document[name] = sent[name]
    return new Response(JSON.stringify(document), response)
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}
