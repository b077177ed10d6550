// An independent client all the way, and what is left of it in the database.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import * as oauth from 'oauth4webapi'
import { Browser } from './browser.ts'
import { begin, call, connect, newClient, refresh } from './client.ts'
import { discover, insecure, leave, letIn, registerAt, renew } from './library-client.ts'
import { oauthApp } from './oauth-app.ts'

const timeout = 30_000

test('an independent client discovers, registers, authorizes, refreshes and revokes', { timeout }, async (t) => {
  const { origin } = await oauthApp(t)
  const resource = new URL(`${origin}/memory/mcp`)
  assert.equal((await discover(resource, 'oidc')).server.issuer, origin)
  const place = await discover(resource)
  assert.equal(place.server.issuer, origin)
  const client = { client_id: (await registerAt(place, 'none')).client_id }
  const tokens = await letIn(place, client, new Browser(origin), 'memory:read offline_access')
  assert.equal(tokens.scope, 'memory:read')
  assert.equal(tokens.expires_in, 3600)
  const called = await oauth.protectedResourceRequest(tokens.access_token, 'GET', resource, undefined, null, insecure)
  assert.equal(called.status, 200)
  const renewed = await renew(place, client, tokens)
  assert.notEqual(renewed.refresh_token, tokens.refresh_token)
  await leave(place, client, renewed)
  assert.equal((await call({ origin }, '/memory/mcp', renewed.access_token)).status, 401)
})

test('everything goes on after a restart, and nothing that opens a door is in the database', { timeout }, async (t) => {
  const first = await oauthApp(t)
  const clientId = await newClient(first)
  const { answer, access, refresh: token, browser } = await connect(first, clientId)
  assert.equal(answer.status, 200)
  const unfinished = await new Browser(first.origin).fetch(begin(first, clientId).url)
  const secrets = [access, token, ...browser.cookies, interactionIn(unfinished)]
  await first.close()

  const stored = readFileSync(join(first.dataDir, 'crow.db')).toString('latin1')
  assert.ok(stored.includes('Probe'), 'the file is the database')
  for (const secret of secrets) assert.ok(!stored.includes(secret), `${secret} is kept in clear`)

  const second = await oauthApp(t, { dataDir: first.dataDir, port: first.port })
  assert.equal((await call(second, '/memory/mcp', access)).status, 200)
  assert.equal((await refresh(second, clientId, token)).status, 200)
})

function interactionIn(response: Response): string {
  return response.headers.get('location')?.split('/').at(-1) ?? ''
}

test('the log holds no token', { timeout }, async (t) => {
  const app = await oauthApp(t)
  const clientId = await newClient(app)
  const { access, refresh: token } = await connect(app, clientId)
  await refresh(app, clientId, token)
  await refresh(app, clientId, 'crow_refresh_'.padEnd(56, 'x'))
  for (const line of app.lines) assert.ok(!line.includes(access) && !line.includes(token), line)
})
