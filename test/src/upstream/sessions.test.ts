// A server over HTTP that has forgotten its sessions, as after a restart: nobody notices.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { openRemoteLink } from '../../../src/mcp/outbound/remote-link.ts'
import { specOf, stand, textOf, type Stand } from '../../fixtures/upstream/hub-stand.ts'
import { sessionServer, type SessionServer } from '../../fixtures/upstream/session-server.ts'

const timeout = 60_000

async function remote(t: TestContext): Promise<{ at: Stand; server: SessionServer }> {
  const server = await sessionServer(t)
  const spec = specOf('far', { target: { kind: 'http', url: server.url, headers: {} } })
  const at = await stand(t, [spec], {
    open: (target, options) => {
      if (target.kind === 'stdio') throw new TypeError('not remote')
      return openRemoteLink(target, options)
    },
  })
  await at.ready('far_write')
  return { at, server }
}

test('many calls with a session that is gone: one new session, every call done once', { timeout }, async (t) => {
  const { at, server } = await remote(t)
  await at.call('far_write')
  server.forget()
  const replies = await Promise.all(Array.from({ length: 20 }, () => at.call('far_write')))
  assert.deepEqual(new Set(replies.map(textOf)), new Set(['written']))
  assert.equal(server.opened(), 2)
  assert.equal(server.called.length, 21)
  assert.equal(at.status('far').circuit, 'closed')
})

test('five calls in a row share one session', { timeout }, async (t) => {
  const { at, server } = await remote(t)
  for (let turn = 0; turn < 5; turn++) await at.call('far_write')
  assert.equal(server.opened(), 1)
})

test('a server that forgets every session at once is asked once more, not for ever', { timeout }, async (t) => {
  const { at, server } = await remote(t)
  server.refuse(true)
  const { message } = await at.fails('far_write')
  assert.match(message, /FAR/)
  assert.ok(server.opened() <= 4, `${server.opened()} sessions`)
  server.refuse(false)
  assert.equal(textOf(await at.call('far_write')), 'written')
})
