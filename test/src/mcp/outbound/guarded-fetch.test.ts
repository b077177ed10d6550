import assert from 'node:assert/strict'
import { createServer, type RequestListener } from 'node:http'
import { test, type TestContext } from 'node:test'
import { plainHost } from '../../../../src/config/forbidden-hosts.ts'
import { LinkFailure } from '../../../../src/lib/link.ts'
import { guardedFetch } from '../../../../src/mcp/outbound/guarded-fetch.ts'
import { openRemoteLink } from '../../../../src/mcp/outbound/remote-link.ts'

const timeout = 20_000

/** @returns its port, and how many requests came */
async function listening(t: TestContext, answer: RequestListener): Promise<{ port: number; heard: string[] }> {
  const heard: string[] = []
  const server = createServer((request, response) => {
    heard.push(`${request.method} ${request.url}`)
    answer(request, response)
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  assert.ok(typeof address === 'object' && address !== null)
  return { port: address.port, heard }
}

const link = (url: string, kind: 'http' | 'sse') =>
  openRemoteLink(
    { kind, url, headers: { authorization: 'Bearer canary' } },
    {
      handlers: { onNotification: () => undefined, onRequest: () => Promise.reject(new Error('not asked')) },
      capabilities: {},
      startTimeoutMs: 5_000,
      note: () => undefined,
    },
  )

test('an address where a cloud keeps credentials is refused, however it is written', { timeout }, async () => {
  for (const host of ['169.254.169.254', '[::ffff:a9fe:a9fe]', '2852039166', '0xa9.0xfe.0xa9.0xfe', 'metadata.goog.'])
    for (const kind of ['http', 'sse'] as const)
      await assert.rejects(
        link(`http://${host}/mcp`, kind),
        (error) => error instanceof LinkFailure && /link-local addresses/.test(error.message),
        `${kind} ${host}`,
      )
})

const isForbidden = (host: string): boolean => plainHost(host) === '127.0.0.1'

test('a name that resolves to a forbidden address gets no byte', { timeout }, async (t) => {
  const { port, heard } = await listening(t, (_request, response) => response.end('{}'))
  const init = { method: 'POST', body: 'secret' }
  await assert.rejects(guardedFetch(isForbidden)(`http://localhost:${port}/`, init), (error) =>
    /link-local addresses/.test(String(error instanceof Error ? error.cause : error)),
  )
  assert.deepEqual(heard, [])
  const answer = await guardedFetch()(`http://localhost:${port}/`, init)
  assert.equal(await answer.text(), '{}')
})

for (const kind of ['http', 'sse'] as const)
  test(`${kind}: a redirect leads to no other place`, { timeout }, async (t) => {
    const other = await listening(t, (_request, response) => response.end('{}'))
    const targets = [`http://127.0.0.1:${other.port}/mcp`, 'http://169.254.169.254/latest/meta-data']
    for (const location of targets)
      for (const status of [302, 307, 308]) {
        const { port } = await listening(t, (_request, response) => response.writeHead(status, { location }).end())
        await assert.rejects(link(`http://127.0.0.1:${port}/mcp`, kind), LinkFailure)
      }
    assert.deepEqual(other.heard, [])
  })
