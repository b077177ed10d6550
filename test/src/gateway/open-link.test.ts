import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openLinkWith } from '../../../src/gateway/open-link.ts'
import { LinkFailure, type OpenOptions } from '../../../src/lib/link.ts'
import { sessionServer } from '../../fixtures/upstream/session-server.ts'

const timeout = 30_000
const options: OpenOptions = {
  handlers: { onNotification: () => undefined, onRequest: () => Promise.reject(new Error('nobody asks')) },
  capabilities: {},
  startTimeoutMs: 10_000,
  note: () => undefined,
}

test('a name that leads to the credentials of a cloud today is not connected to', { timeout }, async (t) => {
  const server = await sessionServer(t)
  for (const forbidden of ['169.254.169.254', 'fe80::1', '::ffff:169.254.169.254', '100.100.100.200']) {
    const open = openLinkWith({}, undefined, () => Promise.resolve(['203.0.113.7', forbidden]))
    for (const kind of ['http', 'sse'] as const)
      await assert.rejects(open({ kind, url: server.url, headers: {} }, options), (error) => {
        assert.ok(error instanceof LinkFailure)
        assert.match(error.message, /link-local/)
        return true
      })
  }
  assert.equal(server.opened(), 0)
  const link = await openLinkWith({}, undefined, () => Promise.resolve(['127.0.0.1']))(
    { kind: 'http', url: server.url, headers: {} },
    options,
  )
  t.after(() => link.close())
  assert.equal(server.opened(), 1)
})
