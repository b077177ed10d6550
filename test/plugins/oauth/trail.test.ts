// What the audit trail tells of an AI client from its registration to its end, and what it never holds.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newestAudit } from '../../../src/db/audit-reader.ts'
import { connect, newClient, post, refresh, textOf } from './client.ts'
import { oauthApp } from './oauth-app.ts'

const timeout = 60_000

test('a client is in the trail when it registers, is let in, comes back and is sent away', { timeout }, async (t) => {
  const running = await oauthApp(t)
  const { app, time } = running
  const clientId = await newClient(running)
  const first = await connect(running, clientId, { at: { scope: 'memory:read offline_access' } })
  const next = await refresh(running, clientId, first.refresh)
  time.offsetMs += 60_000
  assert.equal((await refresh(running, clientId, first.refresh)).status, 400)
  const second = await connect(running, clientId, {
    browser: first.browser,
    at: { scope: 'memory:read offline_access' },
  })
  assert.equal((await post(running, '/revoke', { token: second.refresh, client_id: clientId })).status, 200)
  const third = await connect(running, clientId, { browser: first.browser, at: { scope: 'memory:read' } })
  await app.authorizations.revoke(3)
  await app.audit.flush()
  const rows = newestAudit(app.database, { server: 'gateway' }, 100).toReversed()
  const client = `client:${clientId}`
  assert.deepEqual(
    rows
      .filter(({ tool }) => tool !== 'login' && tool !== 'password_change')
      .map(({ tool, outcome, caller, subject }) => [tool, outcome, caller, subject]),
    [
      ['client_register', 'ok', 'stranger', client],
      ['consent', 'ok', 'operator', 'oauth:1'],
      ['token_issue', 'ok', 'oauth:1', client],
      ['token_refresh', 'ok', 'oauth:1', client],
      ['refresh_reuse', 'refused', 'oauth:1', client],
      ['token_refresh', 'invalid_grant', 'oauth:1', client],
      ['consent', 'ok', 'operator', 'oauth:2'],
      ['token_issue', 'ok', 'oauth:2', client],
      ['token_revoke', 'ok', 'oauth:2', client],
      ['consent', 'ok', 'operator', 'oauth:3'],
      ['token_issue', 'ok', 'oauth:3', client],
      ['authorization_revoke', 'ok', 'operator', 'oauth:3'],
    ],
  )
  assert.ok(rows.filter(({ tool }) => tool.startsWith('token_')).every(({ address }) => address === '127.0.0.1'))
  assert.ok(rows.filter(({ tool }) => tool === 'consent').every(({ client: name }) => name === 'Probe'))
  const kept = JSON.stringify(rows)
  for (const secret of [first.access, first.refresh, second.access, third.access, textOf(next, 'access_token')])
    assert.ok(secret !== '' && !kept.includes(secret))
})

test('a refused consent and a guessed code are in the trail too', { timeout }, async (t) => {
  const running = await oauthApp(t)
  const clientId = await newClient(running)
  await assert.rejects(connect(running, clientId, { tick: () => 'deny' }))
  const form = {
    grant_type: 'authorization_code',
    code: 'crow_code_sentinel',
    client_id: clientId,
    code_verifier: 'x'.repeat(43),
  }
  assert.equal(
    (await post(running, '/token', { ...form, redirect_uri: 'http://127.0.0.1:33418/callback' })).status,
    400,
  )
  await running.app.audit.flush()
  const rows = newestAudit(running.app.database, { outcome: 'failed', server: 'gateway' }, 10).toReversed()
  assert.deepEqual(
    rows.map(({ tool, outcome, caller }) => [tool, outcome, caller]),
    [
      ['consent', 'access_denied', `client:${clientId}`],
      ['token_issue', 'invalid_grant', `client:${clientId}`],
    ],
  )
  assert.doesNotMatch(JSON.stringify(rows), /sentinel/)
})
