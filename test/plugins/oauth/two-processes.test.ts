// Two processes on one data folder: what one of them gave is used up, or stolen, for the other as well.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { call, connect, newClient, refresh, textOf } from './client.ts'
import { oauthApp } from './oauth-app.ts'

const timeout = 60_000

test('a refresh that another process has not finished storing makes nobody a thief', { timeout }, async (t) => {
  const app = await oauthApp(t)
  const clientId = await newClient(app)
  const { refresh: old } = await connect(app, clientId)
  const { sqlite } = app.app.database
  // As another process leaves it between the write that uses the old token up and the one that stores the new one.
  const usedUp = sqlite.prepare("update oauth_tokens set consumed_at = ? where model = 'RefreshToken'")
  usedUp.run(Date.now())
  assert.equal((await refresh(app, clientId, old)).body['error'], 'invalid_grant')
  usedUp.run(null)
  const winner = await refresh(app, clientId, old)
  assert.equal(winner.status, 200, JSON.stringify(winner.body))
  usedUp.run(Date.now() - 10_000)
  assert.equal((await refresh(app, clientId, textOf(winner, 'refresh_token'))).body['error'], 'invalid_grant')
  assert.equal((await call(app, '/memory/mcp', textOf(winner, 'access_token'))).status, 401, 'later it is a stolen one')
})

test('an answer is not given again once another process took its successor', { timeout }, async (t) => {
  const app = await oauthApp(t)
  const beside = await oauthApp(t, { dataDir: app.dataDir, env: { CROW_GATEWAY_URL: app.origin } })
  const clientId = await newClient(app)
  const { refresh: old } = await connect(app, clientId)
  const winner = await refresh(app, clientId, old)
  const next = await refresh(beside, clientId, textOf(winner, 'refresh_token'))
  assert.equal(next.status, 200)
  assert.deepEqual((await refresh(app, clientId, old)).body['error'], 'invalid_grant')
  assert.equal((await call(app, '/memory/mcp', textOf(next, 'access_token'))).status, 401, 'the family has ended')
})
