// Redeeming: what is single use, what lives and ends together, and what is never told.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Browser, pkce } from './browser.ts'
import {
  begin,
  call,
  CLOSE,
  codeIn,
  connect,
  connected,
  LOOPBACK,
  newClient,
  post,
  read,
  redeem,
  refresh,
  textOf,
} from './client.ts'
import { oauthApp } from './oauth-app.ts'

const timeout = 60_000

test(
  'a client that is gone is told so, and a database that does not answer is not its fault',
  { timeout },
  async (t) => {
    const app = await oauthApp(t)
    const { clientId, refresh: token } = await connected(app)
    const { sqlite } = app.app.database
    const wrongClient = await refresh(app, 'GONE', token)
    sqlite.prepare('delete from oauth_clients').run()
    const verifier = pkce().verifier
    const answers = [
      wrongClient,
      await refresh(app, clientId, token),
      await refresh(app, clientId, 'abc'),
      await redeem(app, { code: 'abc', verifier, clientId }),
    ]
    for (const answer of answers) {
      assert.equal(answer.status, 401)
      assert.deepEqual(answer.body, { error: 'invalid_client', error_description: 'client authentication failed' })
      assert.equal(answer.headers.get('cache-control'), 'no-store')
    }
    sqlite.exec('alter table oauth_clients rename to oauth_clients_away')
    for (const answer of [
      await refresh(app, clientId, token),
      await redeem(app, { code: 'abc', verifier, clientId }),
    ]) {
      assert.equal(answer.status, 503)
      assert.equal(answer.body['error'], 'temporarily_unavailable')
      assert.ok(answer.headers.get('retry-after'))
    }
    sqlite.exec('alter table oauth_clients_away rename to oauth_clients')
  },
)

test(
  'without a resource a token is for every server; with one it is for that server, by any of its URLs',
  { timeout },
  async (t) => {
    const app = await oauthApp(t)
    const clientId = await newClient(app)
    const resource = `${app.origin}/memory/mcp`
    const browser = new Browser(app.origin)
    const everywhere = await connect(app, clientId, { browser })
    assert.equal(everywhere.answer.body['scope'], 'memory memory:read storage storage:read tools tools:read')
    for (const path of ['/memory/mcp', '/mcp', '/memory/sse', '/storage/mcp', '/tools/mcp'])
      assert.equal((await call(app, path, everywhere.access)).status, 200, path)
    for (const options of [
      { at: { resource }, exchange: { resource } },
      { at: { resource } },
      { at: { resource: `${app.origin}/sse` }, exchange: { resource: `${app.origin}/mcp/` } },
      { at: { resource: `http://localhost:${app.port}/memory/sse` } },
    ]) {
      const { access, answer } = await connect(app, clientId, { browser, ...options })
      assert.equal(answer.status, 200, JSON.stringify(answer.body))
      assert.equal(answer.body['scope'], 'memory memory:read')
      assert.equal((await call(app, '/memory/mcp', access)).status, 200)
      assert.equal((await call(app, '/storage/mcp', access)).status, 401)
    }
    for (const unknown of ['https://other.example/mcp', `${app.origin}/nothing/mcp`, `${resource}?x=1`]) {
      const { location } = await browser.authorize(begin(app, clientId, { resource: unknown }).url)
      assert.equal(location?.searchParams.get('error'), 'invalid_target', unknown)
      assert.equal(location?.searchParams.get('iss'), app.origin)
    }
    const wider = await connect(app, clientId, {
      browser,
      at: { resource },
      exchange: { resource: `${app.origin}/storage/mcp` },
    })
    assert.equal(wider.answer.body['error'], 'invalid_target')
  },
)

test('no proof of possession, a plain one, a wrong one or an unasked one gets no token', { timeout }, async (t) => {
  const app = await oauthApp(t)
  const clientId = await newClient(app)
  const browser = new Browser(app.origin)
  const { challenge } = pkce()
  for (const more of [
    { code_challenge: undefined, code_challenge_method: undefined },
    { code_challenge: challenge, code_challenge_method: 'plain' },
    { code_challenge: challenge, code_challenge_method: undefined },
    { code_challenge: 'short', code_challenge_method: 'S256' },
  ]) {
    const { location } = await browser.authorize(begin(app, clientId, more).url)
    assert.equal(location?.searchParams.get('error'), 'invalid_request', JSON.stringify(more))
    assert.equal(location?.searchParams.get('code'), null)
  }
  for (const verifier of [pkce().verifier, '', 'short']) {
    const code = codeIn(await browser.authorize(begin(app, clientId).url))
    assert.equal((await redeem(app, { code, verifier, clientId })).status, 400)
  }
})

test(
  'a code is good once, for its client and its redirect; a second time ends what the first one got',
  { timeout },
  async (t) => {
    const app = await oauthApp(t)
    const clientId = await newClient(app)
    const other = await newClient(app)
    const browser = new Browser(app.origin)
    const { url, verifier } = begin(app, clientId)
    const code = codeIn(await browser.authorize(url))
    assert.equal((await redeem(app, { code, verifier, clientId: other })).body['error'], 'invalid_grant')
    const elsewhere = { code, verifier, clientId, redirectUri: 'http://127.0.0.1:1/callback' }
    assert.equal((await redeem(app, elsewhere)).body['error'], 'invalid_grant')
    const first = await redeem(app, { code, verifier, clientId })
    assert.equal(first.status, 200)
    const access = textOf(first, 'access_token')
    assert.equal((await call(app, '/memory/mcp', access)).status, 200)
    assert.equal((await redeem(app, { code, verifier, clientId })).body['error'], 'invalid_grant')
    assert.equal((await call(app, '/memory/mcp', access)).status, 401)
    assert.equal((await refresh(app, clientId, textOf(first, 'refresh_token'))).body['error'], 'invalid_grant')
  },
)

test('a client that did not ask for refreshing gets no refresh token', { timeout }, async (t) => {
  const app = await oauthApp(t)
  const clientId = await newClient(app, LOOPBACK, { grant_types: ['authorization_code'] })
  const { answer } = await connect(app, clientId)
  assert.equal(answer.status, 200)
  assert.equal(answer.body['refresh_token'], undefined)
})

test('an access token lives an hour, and ends with its authorization', { timeout }, async (t) => {
  const app = await oauthApp(t)
  const first = await connected(app)
  const second = await connect(app, first.clientId, { browser: first.browser })
  const [newest, oldest] = app.app.authorizations.list()
  assert.ok(newest && oldest)
  await app.app.authorizations.revoke(oldest.id)
  assert.equal((await call(app, '/memory/mcp', first.access)).status, 401)
  assert.equal((await refresh(app, first.clientId, first.refresh)).body['error'], 'invalid_grant')
  assert.equal((await call(app, '/memory/mcp', second.access)).status, 200)
  const entry = app.app.tokens.verify(second.access)
  assert.deepEqual([entry.caller.id, entry.caller.kind], [`oauth:${newest.id}`, 'oauth'])
  assert.equal(entry.isGood(app.app.clock.now()), true)
  app.time.offsetMs += 3_600_000
  assert.equal(entry.isGood(app.app.clock.now()), false)
  assert.equal((await call(app, '/memory/mcp', second.access)).status, 401)
})

test('what could not be stored costs the client nothing: it tries again with what it has', { timeout }, async (t) => {
  const app = await oauthApp(t)
  const clientId = await newClient(app)
  const { sqlite } = app.app.database
  const breakStoring = (model: string): void =>
    void sqlite.exec(
      `create trigger broken before insert on oauth_tokens when new.model = '${model}' begin select raise(abort, 'disk'); end`,
    )
  const browser = new Browser(app.origin)
  for (const model of ['AccessToken', 'RefreshToken']) {
    const { url, verifier } = begin(app, clientId)
    const code = codeIn(await browser.authorize(url))
    breakStoring(model)
    assert.equal((await redeem(app, { code, verifier, clientId })).status, 503)
    sqlite.exec('drop trigger broken')
    const redeemed = await redeem(app, { code, verifier, clientId })
    assert.equal(redeemed.status, 200, JSON.stringify(redeemed.body))
    const token = textOf(redeemed, 'refresh_token')
    breakStoring(model)
    assert.equal((await refresh(app, clientId, token)).status, 503)
    sqlite.exec('drop trigger broken')
    assert.equal((await refresh(app, clientId, token)).status, 200)
  }
})

test('an answer in another way than the query is refused in the query', { timeout }, async (t) => {
  const app = await oauthApp(t)
  const clientId = await newClient(app)
  for (const mode of ['form_post', 'fragment', 'web_message', 'query.jwt']) {
    const { location } = await new Browser(app.origin).authorize(begin(app, clientId, { response_mode: mode }).url)
    assert.equal(location?.searchParams.get('error'), 'unsupported_response_mode', mode)
  }
  const { location } = await new Browser(app.origin).authorize(begin(app, clientId, { response_mode: 'query' }).url)
  assert.ok(location?.searchParams.get('code'))
})

test('parameters of OpenID Connect are ignored, as unknown ones are', { timeout }, async (t) => {
  const app = await oauthApp(t)
  const clientId = await newClient(app)
  const at = { nonce: 'n', max_age: '1', claims: '{}', prompt: 'select_account', display: 'page', unheard_of: 'x' }
  const { answer } = await connect(app, clientId, { at })
  assert.equal(answer.status, 200)
  assert.equal(answer.body['id_token'], undefined)
})

test('an endpoint is the same one however its path is encoded', { timeout }, async (t) => {
  const app = await oauthApp(t)
  const clientId = await newClient(app)
  const { url, verifier } = begin(app, clientId)
  const code = codeIn(await new Browser(app.origin).authorize(url.replace('/authorize', '/%61uthorize')))
  const form = { grant_type: 'authorization_code', code, redirect_uri: LOOPBACK, client_id: clientId }
  const answer = await post(app, '/%74oken', { ...form, code_verifier: verifier })
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
})

test('a body of no known type is refused in the words of these endpoints', { timeout }, async (t) => {
  const { origin } = await oauthApp(t)
  for (const path of ['/token', '/revoke', '/introspect']) {
    const headers = { 'content-type': 'nonsense', ...CLOSE }
    const answer = await read(await fetch(origin + path, { method: 'POST', headers, body: 'grant_type=x' }))
    assert.deepEqual([answer.status, answer.body['error']], [400, 'invalid_request'], path)
    assert.match(String(answer.body['error_description']), /x-www-form-urlencoded/)
  }
})

test('a parameter that comes twice is refused, whatever it says', { timeout }, async (t) => {
  const app = await oauthApp(t)
  const clientId = await newClient(app)
  const { url } = begin(app, clientId)
  const browser = new Browser(app.origin)
  for (const twice of ['prompt=none&prompt=consent', 'scope=&scope=memory', 'scope=memory&scope=storage', 'state=x']) {
    const { location } = await browser.authorize(`${url}&${twice}`)
    assert.equal(location?.searchParams.get('error'), 'invalid_request', twice)
    assert.match(location?.searchParams.get('error_description') ?? '', /twice/)
  }
  assert.deepEqual(browser.seen, [])
})

test('one authorization may be for several servers, and each token is for one of them', { timeout }, async (t) => {
  const app = await oauthApp(t)
  const clientId = await newClient(app)
  const [memory, storage] = [`${app.origin}/memory/mcp`, `${app.origin}/storage/mcp`]
  const { url, verifier } = begin(app, clientId, { resource: memory })
  const both = `${url}&${new URLSearchParams({ resource: storage }).toString()}`
  const code = codeIn(await new Browser(app.origin).authorize(both))
  const first = await redeem(app, { code, verifier, clientId, exchange: { resource: storage } })
  assert.equal(first.body['scope'], 'storage storage:read')
  assert.equal((await call(app, '/storage/mcp', textOf(first, 'access_token'))).status, 200)
  assert.equal((await call(app, '/memory/mcp', textOf(first, 'access_token'))).status, 401)
  const second = await refresh(app, clientId, textOf(first, 'refresh_token'), { resource: memory })
  assert.equal((await call(app, '/memory/mcp', textOf(second, 'access_token'))).status, 200)
  assert.equal((await call(app, '/storage/mcp', textOf(second, 'access_token'))).status, 401)
})

test('where nothing was granted no token is given, whatever was granted elsewhere', { timeout }, async (t) => {
  const app = await oauthApp(t)
  const clientId = await newClient(app)
  const [memory, storage] = [`${app.origin}/memory/mcp`, `${app.origin}/storage/mcp`]
  const browser = new Browser(app.origin)
  const { url, verifier } = begin(app, clientId, { resource: storage })
  const both = `${url}&${new URLSearchParams({ resource: memory }).toString()}`
  const code = codeIn(await browser.authorize(both, () => ['memory:read']))
  const refused = await redeem(app, { code, verifier, clientId, exchange: { resource: storage } })
  assert.deepEqual([refused.status, refused.body['error']], [400, 'invalid_target'])
  const first = await redeem(app, { code, verifier, clientId })
  assert.equal(first.body['scope'], 'memory:read', 'unnamed, it is for the server where there is something')
  assert.equal((await call(app, '/memory/mcp', textOf(first, 'access_token'))).status, 200)
  const next = await refresh(app, clientId, textOf(first, 'refresh_token'), { resource: storage })
  assert.equal(next.body['error'], 'invalid_target')
  const whole = await connect(app, clientId, { browser, at: { resource: memory } })
  const form = new URLSearchParams({ grant_type: 'refresh_token', refresh_token: whole.refresh, client_id: clientId })
  for (const resource of [memory, 'https://elsewhere.example/']) form.append('resource', resource)
  const beside = await fetch(`${app.origin}/token`, { method: 'POST', body: form })
  assert.match(await beside.text(), /invalid_target/, 'an unknown name is refused beside a known one too')
})
