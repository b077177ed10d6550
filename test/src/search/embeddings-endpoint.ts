// An embeddings endpoint on loopback whose vectors say what a text is about, for the tests of searching by meaning.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { TestContext } from 'node:test'
import { listen } from '../../fixtures/loopback.ts'

/** Topics as dimensions: what no shared word says, the vectors say. */
const TOPICS = [/boat|sail|ship|yacht/i, /dog|puppy|cat|pet/i, /bread|cake|oven|bak/i, /server|deploy|outage/i]

/** What the endpoint answers for a text. */
export function embed(text: string): number[] {
  return [...TOPICS.map((topic) => (topic.test(text) ? 1 : 0)), 0.05]
}

export interface Endpoint {
  readonly url: string
  readonly requests: {
    readonly path: string
    readonly texts: readonly string[]
    readonly authorization: string | undefined
  }[]
  /** Zeros after each vector: a model of another size behind the same name. */
  padding: number
  /** What the next requests are answered with instead; undefined answers them well. */
  fault: ((response: ServerResponse) => void) | undefined
}

async function bodyOf(request: IncomingMessage): Promise<{ model: string; input: string[] }> {
  const chunks: Uint8Array[] = []
  for await (const chunk of request) chunks.push(chunk)
  return JSON.parse(Buffer.concat(chunks).toString('utf8'))
}

/** An embeddings endpoint on loopback that speaks both dialects. */
export async function endpoint(t: TestContext): Promise<Endpoint> {
  const requests: Endpoint['requests'] = []
  const it: Endpoint = { url: '', requests, padding: 0, fault: undefined }
  const server = createServer((request, response) => {
    void bodyOf(request).then(({ input }) => {
      requests.push({ path: request.url ?? '', texts: input, authorization: request.headers.authorization })
      if (it.fault !== undefined) return it.fault(response)
      const made = input.map((text) => [...embed(text), ...Array.from({ length: it.padding }, () => 0)])
      // In reverse, because the order of an OpenAI-compatible answer is said by `index`.
      const data = made.map((embedding, index) => ({ index, embedding })).toReversed()
      response.setHeader('content-type', 'application/json')
      return response.end(JSON.stringify(request.url === '/api/embed' ? { embeddings: made } : { data }))
    })
  })
  return Object.assign(it, { url: `http://127.0.0.1:${await listen(t, server)}` })
}
