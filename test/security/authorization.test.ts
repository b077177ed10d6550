// Attacks on the authorization server of the whole gateway: redirects, proofs, codes, refresh tokens, consent, floods, metadata.
import assert from 'node:assert/strict'
import { createHmac, generateKeyPairSync } from 'node:crypto'
import { test } from 'node:test'
import { FetchRefused, type FetchPorts } from '../../src/lib/guarded-fetch.ts'
import { createDocumentFetch } from '../../src/oauth/client-documents.ts'
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

/** The consent page of a signed-in browser. */
async function consentPage(app: OwnedApp, url: string) {
  const browser = new Browser(app.origin)
  await browser.logIn()
  let at = url
  let response = await browser.fetch(at)
  for (let hop = 0; hop < 5 && response.status !== 200; hop++) {
    at = new URL(response.headers.get('location') ?? '', at).href
    response = await browser.fetch(at)
  }
  return { browser, at, response, text: await response.text() }
}

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

test(
  'nothing skips consent: no cookie, no silent prompt, no second client at the same redirect',
  { timeout },
  async (t) => {
    const app = await ownedApp(t)
    const trusted = await newClient(app, WEB)
    const { browser } = await connect(app, trusted, { at: { redirect_uri: WEB } })
    const confused = await newClient(app, WEB)
    const silent = await browser.authorize(begin(app, confused, { redirect_uri: WEB, prompt: 'none' }).url)
    assert.equal(silent.location?.searchParams.get('error'), 'consent_required')
    browser.seen.length = 0
    await connect(app, confused, { browser, at: { redirect_uri: WEB } })
    assert.deepEqual(browser.seen, ['consent'])
    const begun = begin(app, trusted, { redirect_uri: WEB, prompt: 'none' }).url
    const [oauth, operator] = ['oauth', 'operator'].map((name) => app.app.cookieJar.nameOf(name, ''))
    const planted = { cookie: `${oauth}=x; ${oauth}.sig=x; ${operator}=x; consent=1; approved_clients=all` }
    const answer = await fetch(begun, { headers: planted, redirect: 'manual' })
    assert.match(answer.headers.get('location') ?? '', /error=login_required/)
    const native = await newClient(app)
    await connect(app, native, { browser })
    const again = await browser.authorize(begin(app, native, { prompt: 'none' }).url)
    assert.equal(
      again.location?.searchParams.get('error'),
      'consent_required',
      'any program on the machine could be it',
    )
    await app.app.operators.revokeAll()
    const late = await browser.authorize(begun)
    assert.equal(
      late.location?.searchParams.get('error'),
      'login_required',
      'cookies of an ended session let nobody in',
    )
  },
)

test('consent that was given is single use, and a state comes back only with it', { timeout }, async (t) => {
  const app = await ownedApp(t)
  const { browser, at, response } = await consentPage(app, begin(app, await newClient(app)).url)
  assert.ok(!JSON.stringify([...response.headers]).includes('a state'))
  const form = new URLSearchParams({ decision: 'allow', scope: 'memory:read' })
  const resume = (await browser.fetch(at, form)).headers.get('location') ?? ''
  const done = new URL((await browser.fetch(resume)).headers.get('location') ?? '')
  assert.equal(done.searchParams.get('state'), 'a state')
  assert.equal((await browser.fetch(at, form)).status, 400)
  assert.equal((await browser.fetch(resume)).status, 400)
})

test('the consent page cannot be framed, shows names inert and says where the answer goes', { timeout }, async (t) => {
  const app = await ownedApp(t)
  const name = '<img src=x onerror=alert(1)>"\u202Eedualc\u200B\u2066'
  const { response, text } = await consentPage(
    app,
    begin(app, await newClient(app, LOOPBACK, { client_name: name })).url,
  )
  assert.match(response.headers.get('content-security-policy') ?? '', /default-src 'none'.*frame-ancestors 'none'/)
  assert.equal(response.headers.get('x-frame-options'), 'DENY')
  assert.ok(!/<img|[\u202E\u200B\u2066]/.test(text), text)
  assert.match(text, /127\.0\.0\.1/)
  assert.match(text, /stays on the device/)
  const web = await consentPage(app, begin(app, await newClient(app, WEB), { redirect_uri: WEB }).url)
  assert.match(web.text, /app\.example/)
  assert.ok(!/stays on the device/.test(web.text))
})

test('another site cannot make the browser of the owner consent, or send any form of his', { timeout }, async (t) => {
  const app = await ownedApp(t)
  const { browser, at } = await consentPage(app, begin(app, await newClient(app)).url)
  const forms = app.app.routeTable.filter(({ method, answers }) => method !== 'GET' && answers === 'html')
  const targets = [at, ...forms.map(({ path }) => app.origin + path.replaceAll(/:\w+/g, 'unknown'))]
  assert.ok(targets.length > 8)
  for (const target of targets)
    for (const headers of [
      { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
      { origin: 'null', 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site', origin: 'http://localhost:5173' },
      { 'sec-fetch-site': 'none' },
      {},
    ]) {
      const body = new URLSearchParams({ decision: 'allow', scope: 'memory', password: 'x' })
      const answer = await browser.send(target, { method: 'POST', body, headers })
      assert.equal(answer.status, 403, `${target} ${JSON.stringify(headers)}`)
    }
  assert.deepEqual(app.app.authorizations.list(), [])
  assert.equal(app.app.operators.sessions().length, 1, 'nobody was signed out')
})

test('a flood of registrations is stopped, and what one may hold is bounded', { timeout }, async (t) => {
  const app = await ownedApp(t)
  const big = { redirect_uris: [LOOPBACK], client_name: 'x', filler: 'y'.repeat(2 ** 20) }
  assert.equal((await register(app, big)).status, 413)
  const many = Array.from({ length: 1_000 }, (_, index) => `http://127.0.0.1/${index}`)
  assert.ok([400, 413].includes((await register(app, { redirect_uris: many })).status))
  assert.equal((await register(app, { redirect_uris: many.slice(0, 17) })).status, 400)
  const statuses: number[] = []
  for (let index = 0; index < 30; index++) statuses.push((await register(app, { redirect_uris: [LOOPBACK] })).status)
  assert.equal(statuses.at(-1), 429)
  assert.ok(statuses.filter((status) => status === 201).length <= 20)
  const kept = app.app.database.sqlite.prepare('SELECT count(*) FROM oauth_clients').pluck().get()
  assert.ok(Number(kept) <= 20)
})

test('a client that takes the name of a trusted one is asked about all the same', { timeout }, async (t) => {
  const app = await ownedApp(t)
  const named = { client_name: 'Claude' }
  const { browser } = await connect(app, await newClient(app, WEB, named), { at: { redirect_uri: WEB } })
  browser.seen.length = 0
  const evil = 'https://evil.example/callback'
  await connect(app, await newClient(app, evil, named), { browser, at: { redirect_uri: evil } })
  assert.deepEqual(browser.seen, ['consent'])
  assert.match(browser.lastConsent, /evil\.example/)
})

/** The world outside as a stranger who owns a name server may make it; whoever is reached is noted. */
function hostileNames(reached: string[]): FetchPorts {
  const answers: Record<string, readonly string[]> = {
    'inside.example': ['169.254.169.254'],
    'mixed.example': ['10.0.0.7', '93.184.216.34'],
    'mapped.example': ['::ffff:127.0.0.1'],
    'local6.example': ['fd00::1'],
  }
  let asked = 0
  return {
    resolve: async (name) => {
      if (name !== 'rebinding.example') return answers[name] ?? [name.replaceAll(/^\[|\]$/g, '')]
      asked += 1
      return asked === 1 ? ['93.184.216.34'] : ['127.0.0.1']
    },
    connect: ({ address }) => {
      reached.push(address)
      throw new FetchRefused('the body SECRET-OF-THE-INSIDE')
    },
  }
}

test('the address of a client leads nobody inside, and nothing from there is shown', { timeout }, async (t) => {
  const reached: string[] = []
  const fetchDocument = createDocumentFetch(hostileNames(reached))
  const app = await ownedApp(t, {}, { oauth: { fetchDocument } })
  const browser = new Browser(app.origin)
  await browser.logIn()
  for (const host of [
    'inside.example',
    'mixed.example',
    'mapped.example',
    'local6.example',
    'rebinding.example',
    'localhost',
    '127.0.0.1',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '0x7f.1',
    '2130706433',
    '169.254.169.254',
    '[fd00::1]',
  ]) {
    for (const scheme of ['https', 'http']) {
      const id = `${scheme}://${host}/client.json`
      const { page, location } = await browser.authorize(begin(app, id, { redirect_uri: WEB }).url)
      assert.equal(location, undefined, id)
      assert.equal(page?.status, 400, id)
      assert.ok(!page.text.includes('SECRET-OF-THE-INSIDE'), id)
    }
  }
  for (const address of reached) assert.equal(address, '93.184.216.34')
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
