// What a server without sessions is listened to for, at one in plain Node that says which streams stand.
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { test, type TestContext } from 'node:test'
import { openRemoteLink } from '../../../../src/mcp/outbound/remote-link.ts'
import { at } from '../../../fixtures/rpc.ts'
import { until } from '../../../fixtures/until.ts'

const timeout = 30_000

/** Tells of resources somebody watches, and of nothing else. @returns what each stream that stands is for */
async function watchable(t: TestContext, { ends = false } = {}) {
  const standing = new Map<unknown, unknown>()
  let opened = 0
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (part: string) => (body += part))
    request.on('end', () => {
      const message: unknown = JSON.parse(body)
      const [id, method] = [at(message, 'id'), at(message, 'method')]
      if (method !== 'subscriptions/listen') {
        const serverInfo = { name: 'p', version: '1' }
        const result = {
          resultType: 'complete',
          supportedVersions: ['2026-07-28'],
          capabilities: { resources: { subscribe: true } },
          ttlMs: 0,
          cacheScope: 'private',
          _meta: { 'io.modelcontextprotocol/serverInfo': serverInfo },
        }
        response.writeHead(200, { 'content-type': 'application/json' })
        response.end(JSON.stringify({ jsonrpc: '2.0', id, result }))
        return
      }
      const notifications = at(message, 'params.notifications')
      const params = { notifications, _meta: { 'io.modelcontextprotocol/subscriptionId': id } }
      const acknowledged = { jsonrpc: '2.0', method: 'notifications/subscriptions/acknowledged', params }
      opened++
      standing.set(id, at(notifications, 'resourceSubscriptions'))
      response.on('close', () => standing.delete(id))
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(`data: ${JSON.stringify(acknowledged)}\n\n`)
      if (ends) response.end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  assert.ok(typeof address === 'object' && address !== null)
  return { url: `http://127.0.0.1:${address.port}/mcp`, watched: () => [...standing.values()], opened: () => opened }
}

async function linkTo(t: TestContext, url: string) {
  const link = await openRemoteLink(
    { kind: 'http', url, headers: {} },
    {
      handlers: { onNotification: () => undefined, onRequest: () => Promise.reject(new Error('nothing is asked')) },
      capabilities: {},
      startTimeoutMs: 5_000,
      note: () => undefined,
    },
  )
  t.after(() => link.close())
  return link
}

test('one stream says all that is watched, and none stands when nothing is', { timeout }, async (t) => {
  const { url, watched } = await watchable(t)
  const link = await linkTo(t, url)
  assert.equal(link.peer.era, '2026')
  const say = async (verb: string, uri: string) =>
    await link.request(`resources/${verb}`, { uri }, { timeoutMs: 5_000 })
  await say('subscribe', 'note://1')
  await say('subscribe', 'note://2')
  await until(() => watched().length === 1)
  assert.deepEqual(watched(), [['note://1', 'note://2']])
  await say('unsubscribe', 'note://1')
  await until(() => watched().length === 1)
  assert.deepEqual(watched(), [['note://2']])
  await say('unsubscribe', 'note://2')
  await until(() => watched().length === 0)
})

test('a stream that ends as soon as it stands is asked for less and less often', { timeout }, async (t) => {
  const { url, opened } = await watchable(t, { ends: true })
  const link = await linkTo(t, url)
  const since = performance.now()
  await link.request('resources/subscribe', { uri: 'note://1' }, { timeoutMs: 5_000 })
  await until(() => opened() === 4)
  // Half of the three pauses at least, each twice the one before.
  assert.ok(performance.now() - since > 1_700)
})
