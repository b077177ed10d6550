// Attacks on the authorization server of the whole gateway: redirects, proofs, codes, refresh tokens, tokens, metadata.
import assert from 'node:assert/strict'
import { createHmac, generateKeyPairSync } from 'node:crypto'
import { test } from 'node:test'
import { call as message, rpc } from '../fixtures/rpc.ts'
import { Browser, pkce } from '../plugins/oauth/browser.ts'
import {
  begin,
  codeIn,
  connect,
  LOOPBACK,
  newClient,
  post,
  redeem,
  refresh,
  register,
  textOf,
  WEB,
} from '../plugins/oauth/client.ts'
import { ownedApp, type OwnedApp } from './owned-app.ts'

const timeout = 120_000

/** What a tool's address answers to this token. */
async function statusOf({ port }: OwnedApp, token: string, path = '/memory/mcp'): Promise<number> {
  return (await rpc({ port, token }, { path, body: message('initialize', HELLO) })).status
}
const HELLO = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } }

test('a redirect that is not exactly the registered one sends nobody anywhere', { timeout }, async (t) => {
  const app = await ownedApp(t)
  const browser = new Browser(app.origin)
  await browser.logIn()
  const web = await newClient(app, WEB)
  const local = await newClient(app, LOOPBACK)
  const others = [
    [web, 'https://app.example/callback/../evil'],
    [web, 'https://app.example/callback/more'],
    [web, 'https://app.example/callback?x=1'],
    [web, 'https://app.example/callback#x'],
    [web, 'https://app.example:8443/callback'],
    [web, 'https://app.example.evil.example/callback'],
    [web, 'https://app.example@evil.example/callback'],
    [web, 'https://user@app.example/callback'],
    [web, 'http://app.example/callback'],
    [web, 'https://APP.example/callback'],
    [web, 'javascript:alert(1)'],
    [web, 'data:text/html,x'],
    [local, 'http://127.0.0.1:33418/other'],
    [local, 'http://127.0.0.1.evil.example:33418/callback'],
    [local, 'http://localhost:33418/callback'],
    [local, 'https://127.0.0.1:33418/callback'],
  ] as const
  for (const [client, redirect] of others) {
    const { page, location } = await browser.authorize(begin(app, client, { redirect_uri: redirect }).url)
    assert.equal(location, undefined, redirect)
    assert.equal(page?.status, 400, redirect)
  }
  for (const scheme of [
    'javascript:alert(1)',
    'javascript://app.example/%0aalert(1)',
    'data:text/html,x',
    'data://app.example/x',
    'vbscript://app.example/x',
    'ms-msdt://app.example/x',
    'search-ms://app.example/x',
    'intent://app.example/x',
    'ssh://app.example/x',
    'https://user@app.example/callback',
    'https://app.example/callback#x',
    'file:///etc/passwd',
    'http://evil.example/',
  ])
    assert.equal((await register(app, { redirect_uris: [scheme] })).status, 400, scheme)
})

test('without a proof of possession by S256 there is no code and no token', { timeout }, async (t) => {
  const app = await ownedApp(t)
  const client = await newClient(app)
  const browser = new Browser(app.origin)
  const { challenge, verifier } = pkce()
  for (const more of [
    { code_challenge: undefined, code_challenge_method: undefined },
    { code_challenge: verifier, code_challenge_method: 'plain' },
    { code_challenge: challenge, code_challenge_method: undefined },
  ]) {
    const { location } = await browser.authorize(begin(app, client, more).url)
    assert.equal(location?.searchParams.get('error'), 'invalid_request', JSON.stringify(more))
  }
  for (const wrong of [pkce().verifier, '', challenge]) {
    const code = codeIn(await browser.authorize(begin(app, client).url))
    const answer = await redeem(app, { code, verifier: wrong, clientId: client })
    assert.equal(answer.status, 400)
    assert.equal(answer.body['access_token'], undefined)
  }
})

test('a code that comes twice ends what it bought, and another client cannot redeem it', { timeout }, async (t) => {
  const app = await ownedApp(t)
  const client = await newClient(app)
  const thief = await newClient(app)
  const { url, verifier } = begin(app, client)
  const code = codeIn(await new Browser(app.origin).authorize(url))
  assert.equal((await redeem(app, { code, verifier, clientId: thief })).body['error'], 'invalid_grant')
  const first = await redeem(app, { code, verifier, clientId: client })
  const access = textOf(first, 'access_token')
  assert.equal(await statusOf(app, access), 200)
  assert.equal((await redeem(app, { code, verifier, clientId: client })).body['error'], 'invalid_grant')
  assert.equal(await statusOf(app, access), 401)
  assert.equal((await refresh(app, client, textOf(first, 'refresh_token'))).body['error'], 'invalid_grant')
})

test('a refresh token that comes back after its successor was used ends the family', { timeout }, async (t) => {
  const app = await ownedApp(t)
  const client = await newClient(app)
  const { refresh: stolen } = await connect(app, client)
  const [one, two] = await Promise.all([refresh(app, client, stolen), refresh(app, client, stolen)])
  assert.deepEqual(
    [one.status, two.status, one.body],
    [200, 200, two.body],
    'two at once are one, and nobody is locked out',
  )
  const next = await refresh(app, client, textOf(one, 'refresh_token'))
  const access = textOf(next, 'access_token')
  assert.equal(await statusOf(app, access), 200)
  assert.equal((await refresh(app, client, stolen)).body['error'], 'invalid_grant')
  assert.equal(await statusOf(app, access), 401)
  assert.equal((await refresh(app, client, textOf(next, 'refresh_token'))).body['error'], 'invalid_grant')
})

const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')

/** Tokens as other systems sign them; ours are not signed at all. */
function forgedTokens(origin: string): string[] {
  const claims = part({ iss: origin, aud: `${origin}/memory/mcp`, sub: 'operator', scope: 'memory', exp: 4e9 })
  const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const signed = `${part({ alg: 'HS256', typ: 'at+jwt' })}.${claims}`
  const pem = publicKey.export({ type: 'spki', format: 'pem' })
  return [
    `${part({ alg: 'none', typ: 'at+jwt' })}.${claims}.`,
    `${signed}.${createHmac('sha256', pem).update(signed).digest('base64url')}`,
    `${part({ alg: 'RS256', kid: 'x', jku: 'https://evil.example/jwks' })}.${claims}.AAAA`,
  ]
}

test(
  'a profile in a resource is the router and nothing more, and nothing else in a query is taken',
  { timeout },
  async (t) => {
    const app = await ownedApp(t)
    const client = await newClient(app)
    const { access, browser } = await connect(app, client, {
      at: { resource: `${app.origin}/router/mcp?profile=direct`, scope: 'memory' },
    })
    assert.equal(await statusOf(app, access, '/router/mcp'), 200)
    for (const path of ['/memory/mcp', '/memory/mcp?profile=direct', '/storage/mcp?profile=direct', '/mcp'])
      assert.equal(await statusOf(app, access, path), 401, path)
    for (const resource of [
      '/memory/mcp?profile=direct',
      '/mcp?profile=direct',
      '/?profile=direct',
      '/router/mcp?profile=a&x=1',
      '/router/mcp?profile=%2e%2e/memory/mcp',
      '/router/mcp?x=1',
    ]) {
      const { location } = await browser.authorize(begin(app, client, { resource: app.origin + resource }).url)
      assert.equal(location?.searchParams.get('error'), 'invalid_target', resource)
    }
  },
)

test(
  'a token for another server, of another issuer, expired or forged is answered by a challenge',
  { timeout },
  async (t) => {
    const app = await ownedApp(t)
    const client = await newClient(app)
    const { access, browser } = await connect(app, client, { at: { resource: `${app.origin}/storage/mcp` } })
    assert.equal(await statusOf(app, access, '/storage/mcp'), 200)
    const mine = await connect(app, client, { browser, at: { resource: `${app.origin}/memory/mcp` } })
    const foreign = await connect(app, client, { browser, at: { resource: `${app.origin}/memory/mcp` } })
    await app.app.database.write(({ sqlite }) =>
      sqlite
        .prepare(
          "UPDATE oauth_tokens SET payload = json_set(payload, '$.aud', 'https://other.example/memory/mcp') WHERE id = (SELECT id FROM oauth_tokens WHERE model = 'AccessToken' ORDER BY created_at DESC, rowid DESC LIMIT 1)",
        )
        .run(),
    )
    const bad = [access, foreign.access, ...forgedTokens(app.origin)]
    for (const token of bad) {
      const { status, headers } = await rpc({ port: app.port, token }, { path: '/memory/mcp', body: message('ping') })
      assert.equal(status, 401, token)
      assert.match(String(headers['www-authenticate']), /^Bearer .*error="invalid_token".*resource_metadata="/)
    }
    assert.equal(await statusOf(app, mine.access), 200)
    app.time.offsetMs += 3_600_000
    assert.equal(await statusOf(app, mine.access), 401)
  },
)

test(
  'every mount has its own document, and no header of a stranger changes an address in it',
  { timeout },
  async (t) => {
    const app = await ownedApp(t, { CROW_GATEWAY_URL: 'https://crow.example' })
    const forged = { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'http', forwarded: 'host=evil.example' }
    const mounts = app.app.routeTable.filter(({ method, path }) => method === 'POST' && path.endsWith('/mcp'))
    assert.ok(mounts.length >= 3)
    const documents = ['', ...mounts.map(({ path }) => path)].map(
      (path) => `/.well-known/oauth-protected-resource${path}`,
    )
    for (const headers of [{}, forged]) {
      for (const url of documents) {
        const body: unknown = (await app.app.inject({ url, headers: { host: 'crow.example', ...headers } })).json()
        const resource = `https://crow.example${url.replace('/.well-known/oauth-protected-resource', '')}`
        assert.partialDeepStrictEqual(body, { resource, authorization_servers: ['https://crow.example'] })
      }
      for (const url of [
        '/.well-known/oauth-authorization-server',
        '/.well-known/openid-configuration',
        '/jwks',
        '/nowhere',
      ]) {
        const answer = await app.app.inject({ url, headers: { host: 'crow.example', ...headers } })
        assert.ok(!(answer.body + JSON.stringify(answer.headers)).includes('evil'), url)
      }
      const answer = await app.app.inject({
        url: '/authorize?client_id=x',
        headers: { host: 'crow.example', ...headers },
      })
      assert.ok(!(answer.body + JSON.stringify(answer.headers)).includes('evil'))
    }
  },
)

test('another client learns nothing of a token, and cannot end it', { timeout }, async (t) => {
  const app = await ownedApp(t)
  const { access, refresh: token } = await connect(app, await newClient(app))
  const spy = await register(app, { redirect_uris: [LOOPBACK], token_endpoint_auth_method: 'client_secret_post' })
  const credentials = { client_id: textOf(spy, 'client_id'), client_secret: textOf(spy, 'client_secret') }
  for (const theirs of [access, token]) {
    assert.deepEqual((await post(app, '/introspect', { ...credentials, token: theirs })).body, { active: false })
    assert.equal((await post(app, '/revoke', { ...credentials, token: theirs })).status, 200)
    assert.equal((await post(app, '/introspect', { client_id: credentials.client_id, token: theirs })).status, 401)
  }
  assert.equal(await statusOf(app, access), 200)
})
