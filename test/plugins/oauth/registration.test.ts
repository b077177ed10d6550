// Registering (RFC 7591), and where an authorization may be sent back to.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeClient } from '../../../src/oauth/clients.ts'
import { Browser } from './browser.ts'
import { begin, codeIn, connect, LOOPBACK, newClient, post, read, redeem, register, textOf } from './client.ts'
import { oauthApp } from './oauth-app.ts'

const timeout = 60_000
const CURSOR = 'cursor://anysphere.cursor-mcp/oauth/callback'

test('a loopback redirect may come with another port, and with nothing else that is other', { timeout }, async (t) => {
  const app = await oauthApp(t)
  const clientId = await newClient(app)
  const moved = 'http://127.0.0.1:51234/callback'
  const browser = new Browser(app.origin)
  const { url, verifier } = begin(app, clientId, { redirect_uri: moved })
  const code = codeIn(await browser.authorize(url))
  assert.equal((await redeem(app, { code, verifier, clientId, redirectUri: moved })).status, 200)
  for (const other of [
    'http://127.0.0.1:51234/other',
    'http://127.0.0.1.evil.example:51234/callback',
    'http://127.0.0.1@evil.example/callback',
    'http://user@127.0.0.1:33418/callback',
    'http://localhost:33418/callback',
    `${LOOPBACK}?more=1`,
    `${LOOPBACK}#fragment`,
    'javascript:alert(1)',
  ]) {
    const answer = await browser.fetch(begin(app, clientId, { redirect_uri: other }).url)
    assert.equal(answer.status, 400, other)
    assert.match(answer.headers.get('content-type') ?? '', /^text\/html/)
    assert.equal(answer.headers.get('location'), null)
  }
})

test('an unknown client is told so on a page, and sent nowhere', { timeout }, async (t) => {
  const app = await oauthApp(t)
  const answer = await new Browser(app.origin).fetch(begin(app, 'nobody').url)
  assert.equal(answer.status, 400)
  assert.equal(answer.headers.get('location'), null)
  assert.match(await answer.text(), /does not know the app/)
})

test('a private scheme makes a client native, whatever it says; what is unknown is ignored', { timeout }, async (t) => {
  const app = await oauthApp(t)
  for (const said of [{ application_type: 'web' }, { application_type: 'native' }, {}]) {
    const answer = await register(app, {
      ...said,
      redirect_uris: [CURSOR],
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'],
      response_types: ['code'],
      client_name: 'IDE',
      software_id: 'x',
      scope: 'openid profile',
      made_up_field: { a: 1 },
    })
    assert.equal(answer.status, 201, JSON.stringify(answer.body))
    assert.equal(answer.body['application_type'], 'native')
    assert.equal(answer.body['client_secret'], undefined)
    assert.deepEqual(answer.body['grant_types'], ['authorization_code', 'refresh_token'])
    assert.equal(answer.headers.get('cache-control'), 'no-store')
  }
})

test('redirects that run something, read something or travel in clear are refused', { timeout }, async (t) => {
  const app = await oauthApp(t)
  for (const uri of [
    'javascript:alert(1)',
    'data:text/html,x',
    'vbscript:x',
    'file:///etc/passwd',
    'blob:https://app.example/1',
    'http://plain.example/cb',
    'http://127.0.0.1@evil.example/cb',
    'https://app.example/cb#x',
    'not a uri',
  ]) {
    const answer = await register(app, { redirect_uris: [uri] })
    assert.equal(answer.status, 400, uri)
    assert.equal(answer.body['error'], 'invalid_redirect_uri', uri)
  }
})

test('a registration is bounded in bytes, in redirects and in the length of its name', { timeout }, async (t) => {
  const app = await oauthApp(t)
  const many = Array.from({ length: 1000 }, (_, index) => `https://app.example/${index}`)
  assert.equal((await register(app, { redirect_uris: many })).status, 413)
  assert.equal((await register(app, { redirect_uris: many.slice(0, 17) })).body['error'], 'invalid_redirect_uri')
  const large = await register(app, { redirect_uris: ['https://app.example/'], client_name: 'x'.repeat(1 << 20) })
  assert.equal(large.status, 413)
  const long = await register(app, { redirect_uris: ['https://app.example/'], client_name: 'x'.repeat(200) })
  assert.equal(long.body['error'], 'invalid_client_metadata')
  for (const body of ['[]', '"x"', 'null', '{'])
    assert.equal((await fetch(`${app.origin}/register`, { method: 'POST', body })).status, 400)
})

test('registrations are counted, and not given back when they succeed', { timeout }, async (t) => {
  const app = await oauthApp(t)
  const statuses: number[] = []
  for (let count = 0; count < 21; count++)
    statuses.push((await register(app, { redirect_uris: ['https://app.example/'] })).status)
  assert.deepEqual(statuses, [...Array.from({ length: 20 }, () => 201), 429])
  const refused = await register(app, { redirect_uris: ['https://app.example/'] })
  assert.ok(Number(refused.headers.get('retry-after')) > 0)
  assert.equal(refused.body['error'], 'slow_down')
})

test('pages of any origin may register and redeem, and none may authorize for a person', { timeout }, async (t) => {
  const { origin } = await oauthApp(t)
  const headers = { origin: 'https://page.example', 'access-control-request-method': 'POST' }
  for (const path of ['/register', '/token', '/revoke', '/jwks', '/.well-known/oauth-authorization-server']) {
    const preflight = await fetch(origin + path, { method: 'OPTIONS', headers })
    assert.equal(preflight.status, 204, path)
    assert.equal(preflight.headers.get('access-control-allow-origin'), '*', path)
    assert.match(preflight.headers.get('access-control-allow-methods') ?? '', /POST/)
    assert.equal(preflight.headers.get('access-control-allow-credentials'), null)
  }
  const keys = await fetch(`${origin}/jwks`, { headers: { origin: 'https://page.example' } })
  assert.equal(keys.headers.get('access-control-allow-origin'), '*')
  assert.ok(!(await keys.text()).includes('"d"'), 'only the public half')
  for (const path of ['/authorize', '/introspect', '/login'])
    assert.equal((await fetch(origin + path, { method: 'OPTIONS', headers })).status, 403, path)
})

test('management of registrations is off', { timeout }, async (t) => {
  const app = await oauthApp(t)
  const answer = await register(app, { redirect_uris: ['https://app.example/'] })
  assert.equal(answer.body['registration_access_token'], undefined)
  assert.equal((await fetch(`${app.origin}/register/${textOf(answer, 'client_id')}`)).status, 404)
})

const basic = (id: string, secret: string): Record<string, string> => ({
  authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
})

test(
  'a client proves itself by a secret with special characters, encoded in the header or plain in the form',
  { timeout },
  async (t) => {
    const app = await oauthApp(t)
    const { clock, database } = app.app
    const [id, secret] = ['desk app:7', 'p/a+b:c%=e']
    await makeClient(database, clock, { id, name: 'Desk', redirectUris: [LOOPBACK], secret })
    const encoded = basic('desk+app%3A7', 'p%2Fa%2Bb%3Ac%25%3De')
    const byHeader = await connect(app, id, { headers: encoded, exchange: { client_id: undefined } })
    assert.equal(byHeader.answer.status, 200, JSON.stringify(byHeader.answer.body))
    const byForm = await connect(app, id, { browser: byHeader.browser, exchange: { client_secret: secret } })
    assert.equal(byForm.answer.status, 200, JSON.stringify(byForm.answer.body))
    const wrong = await post(
      app,
      '/token',
      { grant_type: 'refresh_token', refresh_token: 'x' },
      basic('desk+app%3A7', 'wrong-secret'),
    )
    assert.equal(wrong.status, 401)
    assert.equal(wrong.body['error'], 'invalid_client')
    assert.match(wrong.headers.get('www-authenticate') ?? '', /^Basic /)
    const unproven = await post(app, '/token', { grant_type: 'refresh_token', refresh_token: 'x', client_id: id })
    assert.equal(unproven.body['error'], 'invalid_client')
  },
)

test('a client secret that is not ASCII is refused in one sentence', { timeout }, async (t) => {
  const { app } = await oauthApp(t)
  await assert.rejects(
    makeClient(app.database, app.clock, { name: 'Desk', redirectUris: [LOOPBACK], secret: 'geheimnisß-ü-1' }),
    /printable ASCII/,
  )
})

test('ids and secrets that are given out are the same raw and encoded, and kept as hashes', { timeout }, async (t) => {
  const app = await oauthApp(t)
  for (let count = 0; count < 20; count++) {
    const answer = await register(app, { redirect_uris: [LOOPBACK], token_endpoint_auth_method: 'client_secret_basic' })
    const [id, secret] = [textOf(answer, 'client_id'), textOf(answer, 'client_secret')]
    assert.equal(answer.body['client_secret_expires_at'], 0)
    assert.match(id + secret, /^[\w.~-]+$/)
    const refused = await post(app, '/token', { grant_type: 'refresh_token', refresh_token: 'x' }, basic(id, secret))
    assert.equal(refused.body['error'], 'invalid_grant')
    const kept = JSON.stringify(app.app.database.sqlite.prepare('select * from oauth_clients').all())
    assert.ok(!kept.includes(secret))
    // The hash is no secret: sent as one, it opens nothing.
    const row = app.app.database.sqlite
      .prepare('select hex(secret_hash) from oauth_clients where id = ?')
      .pluck()
      .get(id)
    const byHash = await post(
      app,
      '/token',
      { grant_type: 'refresh_token', refresh_token: 'x' },
      basic(id, String(row).toLowerCase()),
    )
    assert.equal(byHash.body['error'], 'invalid_client')
    app.time.offsetMs += 300_000
  }
})

test('a program that accepts pages is still answered in JSON', { timeout }, async (t) => {
  const { origin } = await oauthApp(t)
  const answer = await read(
    await fetch(`${origin}/token`, { method: 'POST', headers: { accept: 'text/html' }, body: new URLSearchParams() }),
  )
  assert.equal(answer.body['error'], 'invalid_request')
})

test('beginning authorizations is counted, and given back to the owner', { timeout }, async (t) => {
  const app = await oauthApp(t)
  const clientId = await newClient(app)
  const { url } = begin(app, clientId)
  const owner = new Browser(app.origin)
  await owner.logIn()
  for (let count = 0; count < 25; count++) assert.equal((await owner.fetch(url)).status, 303)
  const statuses = new Set<number>()
  const stranger = new Browser(app.origin)
  for (let count = 0; count < 20; count++) statuses.add((await stranger.fetch(url)).status)
  assert.deepEqual([...statuses], [303])
  const refused = await stranger.fetch(url)
  assert.equal(refused.status, 429)
  assert.match(refused.headers.get('content-type') ?? '', /^text\/html/)
  assert.equal((await owner.fetch(url)).status, 303)
})
