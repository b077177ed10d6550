// What revoking ends: tokens at once, sessions and streams with them, and nothing of anybody else.
import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'
import { test } from 'node:test'
import { wireOf } from '../../../plugins/mcp/index.ts'
import { call, open, openSession, rpc } from '../../fixtures/rpc.ts'
import { newestAudit } from '../../../src/db/audit-reader.ts'
import { refresh } from '../oauth/client.ts'
import { owned } from './connected.ts'

const timeout = 60_000
const path = '/memory/mcp'

/** Bounded waiting for what another party brings about. */
async function until(holds: () => boolean, what: string): Promise<void> {
  for (let turn = 0; turn < 200; turn++) {
    if (holds()) return
    await delay(10)
  }
  assert.fail(`never: ${what}`)
}

test('a revoked client is out: token, refresh, session and open stream', { timeout }, async (t) => {
  const running = await owned(t)
  const { app, port, api, letIn } = running
  const gone = await letIn('Gone', 'memory:read')
  const stays = await letIn('Stays', 'memory:read')
  const place = async ({ access }: { access: string }) => {
    const to = { port, token: access }
    const session = await openSession(to, { path })
    const stream = await open(to, { method: 'GET', path, headers: { ...session.headers, accept: 'text/event-stream' } })
    assert.equal(stream.status, 200)
    const ask = async () => (await rpc(to, { path, headers: session.headers, body: call('tools/list') })).status
    assert.equal(await ask(), 200)
    return { stream, ask }
  }
  const [leaving, staying] = [await place(gone), await place(stays)]
  t.after(() => staying.stream.abort())
  const { sessions } = wireOf(app)
  assert.equal(sessions.size, 2)
  const row = (await api('GET', '/api/clients'))
    .json()
    .items.find(({ client }: { client: { name: string } }) => client.name === 'Gone')
  const before = performance.now()
  assert.equal((await api('DELETE', `/api/clients/${row.id}`)).statusCode, 204)
  assert.equal(await leaving.ask(), 401)
  await leaving.stream.ended
  await until(() => sessions.size === 1, 'its session ends')
  assert.ok(performance.now() - before < 1000)
  assert.equal((await refresh(running, gone.clientId, gone.refresh)).body['error'], 'invalid_grant')
  assert.equal(await staying.ask(), 200)
  await app.audit.flush()
  const [last] = newestAudit(app.database, { server: 'gateway' }, 50).filter(
    ({ tool }) => tool === 'authorization_revoke',
  )
  assert.deepEqual([last?.caller, last?.outcome, last?.subject], ['operator', 'ok', `oauth:${row.id}`])
})

test('a revoked local token takes its session and stream with it', { timeout }, async (t) => {
  const { app, port, token, owner } = await owned(t)
  const to = { port, token }
  const session = await openSession(to, { path })
  const stream = await open(to, { method: 'GET', path, headers: { ...session.headers, accept: 'text/event-stream' } })
  await owner.post('/clients/tokens/revoke-all')
  await stream.ended
  await until(() => wireOf(app).sessions.size === 0, 'its session ends')
  assert.equal((await rpc(to, { path, headers: session.headers, body: call('tools/list') })).status, 401)
})
