import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { test } from 'node:test'
import { createEmbeddingsClient } from '../../../src/search/embeddings-client.ts'
import { endpoint } from './embeddings-endpoint.ts'

const timeout = 60_000

test('both dialects give one vector per text, in the order of the texts', { timeout }, async (t) => {
  const server = await endpoint(t)
  for (const provider of ['openai', 'ollama'] as const) {
    const client = createEmbeddingsClient({ provider, url: server.url, model: 'm', apiKey: 'secret', timeoutMs: 2000 })
    const found = await client.embed(['a boat', 'a dog \ud800'])
    assert.deepEqual(
      found.map((vector) => [...vector].map(Math.round)),
      [
        [1, 0, 0, 0, 0],
        [0, 1, 0, 0, 0],
      ],
      provider,
    )
  }
  assert.deepEqual(
    server.requests.map((request) => [request.path, request.authorization]),
    [
      ['/embeddings', 'Bearer secret'],
      ['/api/embed', 'Bearer secret'],
    ],
  )
})

const elsewhere = { location: 'http://127.0.0.1:1/' }

test('a failing endpoint is asked twice, a refused request once, and what is wrong is said', { timeout }, async (t) => {
  const server = await endpoint(t)
  const client = createEmbeddingsClient({ provider: 'openai', url: server.url, model: 'm', timeoutMs: 300 })
  const faults: readonly (readonly [(response: ServerResponse) => void, RegExp, number])[] = [
    [(response) => response.writeHead(503).end(), /answered 503\./, 2],
    [(response) => response.writeHead(429).end(), /answered 429 \(too many requests/, 2],
    [(response) => response.writeHead(401).end(), /answered 401 \(it does not accept the API key/, 1],
    [(response) => response.writeHead(404).end(), /answered 404 \(there is no such address, or no such model/, 1],
    [(response) => response.writeHead(307, elsewhere).end(), /answered 307 \(it sends elsewhere/, 1],
    [(response) => response.end('<html>not json'), /answered 200, but not with JSON/, 2],
    [(response) => response.end('{"data":{}}'), /another shape: there is no list "data"/, 2],
    [(response) => response.end('null'), /another shape: there is no list "data"/, 2],
    [(response) => response.end('{"data":[]}'), /with 0 embeddings for 2 texts/, 2],
    [(response) => response.end('{"data":[{"embedding":[1]}]}'), /with 1 embedding for 2 texts/, 2],
    [(response) => response.end('{"data":[{"embedding":["x"]},{}]}'), /not made of numbers/, 2],
    [(response) => response.end('{"data":[{"embedding":[1]},{}]}'), /an embedding is missing/, 2],
    [(response) => response.end('{"data":[{"embedding":[1]},{"embedding":[1,2]}]}'), /different sizes/, 2],
    [(response) => response.destroy(), /cannot be reached/, 2],
    [breakOff, /its answer broke off/, 2],
    [() => undefined, /no answer within 300 ms/, 2],
  ]
  for (const [fault, message, times] of faults) {
    server.requests.length = 0
    server.fault = fault
    const kind = times === 1 ? 'invalid' : 'unavailable'
    await assert.rejects(client.embed(['a', 'b']), { code: 'EMBEDDINGS_FAILED', kind, message })
    assert.equal(server.requests.length, times, String(message))
  }
})

/** Says how much it will send, sends a part of it and hangs up. */
function breakOff(response: ServerResponse): void {
  response.writeHead(200, { 'content-length': 1000 })
  response.write('{"data":', () => response.destroy())
}
