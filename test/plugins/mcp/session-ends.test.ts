// Sessions of callers whose access ends by itself: nobody revoked anything, and nobody may come back.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { wireOf } from '../../../plugins/mcp/index.ts'
import { call, openSession, rpc } from '../../fixtures/rpc.ts'
import { until } from '../../fixtures/until.ts'
import { wireServer } from '../../fixtures/wire-server.ts'
import { ownedApp } from '../../security/owned-app.ts'
import { connect, newClient, refresh, textOf } from '../oauth/client.ts'

const TIMEOUT = { timeout: 60_000 }
const HOUR_MS = 3_600_000
const IDLE = { CROW_SESSION_IDLE_MS: String(24 * HOUR_MS) }

test(
  'a session ends at the next sweep after its local token has expired, its call answered first',
  TIMEOUT,
  async (t) => {
    const wire = wireServer()
    const running = await ownedApp(t, IDLE, { servers: [wire.definition] })
    const { app, port, time } = running
    const { sessions, calls } = wireOf(app)
    const { secret } = await app.tokens.create({ name: 'an hour', expiresAt: Date.now() + HOUR_MS })
    const expiring = await openSession({ port, token: secret }, { path: '/wire/mcp' })
    await openSession(running, { path: '/wire/mcp' })
    const body = call('tools/call', { name: 'wait', arguments: { name: 'long' } }, 'long')
    const answered = rpc({ port, token: secret }, { path: '/wire/mcp', headers: expiring.headers, body })
    await until(() => calls.size === 1, 'the call runs')
    time.offsetMs += HOUR_MS
    sessions.sweep()
    assert.equal(sessions.size, 2)
    wire.release()
    assert.equal((await answered).status, 200)
    sessions.sweep()
    assert.equal(sessions.size, 1)
  },
)

test(
  'a session outlives the access tokens of a client that refreshes, and not the last of one that cannot',
  TIMEOUT,
  async (t) => {
    const running = await ownedApp(t, IDLE)
    const { app, port, time } = running
    const { sessions } = wireOf(app)
    const path = '/memory/mcp'
    const clientId = await newClient(running)
    const lasting = await connect(running, clientId)
    const brief = await connect(running, await newClient(running, undefined, { grant_types: ['authorization_code'] }))
    assert.deepEqual([lasting.refresh === '', brief.refresh], [false, ''])
    const session = await openSession({ port, token: lasting.access }, { path })
    await openSession({ port, token: brief.access }, { path })
    sessions.sweep()
    assert.equal(sessions.size, 2)
    time.offsetMs += HOUR_MS + 1000
    sessions.sweep()
    assert.equal(sessions.size, 1)
    const token = textOf(await refresh(running, clientId, lasting.refresh), 'access_token')
    sessions.sweep()
    const body = call('tools/list', undefined, 1)
    assert.equal((await rpc({ port, token }, { path, headers: session.headers, body })).status, 200)
  },
)

test('a session that was opened by a token revoked meanwhile is gone at the next sweep', TIMEOUT, async (t) => {
  const { app } = await ownedApp(t, IDLE)
  const { sessions } = wireOf(app)
  const { id } = await app.tokens.create({ name: 'short' })
  await app.tokens.revoke(id)
  const memory = app.catalog.server('memory')
  assert.ok(memory !== undefined && sessions.open(memory, { id: `local:${id}` }, 'streamable'))
  sessions.sweep()
  assert.equal(sessions.size, 0)
})
