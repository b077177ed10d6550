// What the owner is asked, when, and what comes of the answer.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Browser, scopesIn, tickedIn } from './browser.ts'
import { begin, call, codeIn, connect, LOOPBACK, newClient, refresh, WEB } from './client.ts'
import { oauthApp, type OAuthApp } from './oauth-app.ts'

const timeout = 60_000
const CURSOR = 'cursor://anysphere.cursor-mcp/oauth/callback'
const WEB_AT = { at: { redirect_uri: WEB } }

/** The consent page of a new authorization. */
async function consentPage(app: OAuthApp, url: string) {
  const browser = new Browser(app.origin)
  await browser.logIn()
  let at = url
  for (let hop = 0; hop < 6; hop++) {
    const response = await browser.fetch(at)
    const next = response.headers.get('location')
    if (next === null) return { browser, at, response, text: await response.text() }
    at = new URL(next, at).href
  }
  throw new Error('no page')
}

test('without a scope everything of the resource is offered and reading is ticked', { timeout }, async (t) => {
  const app = await oauthApp(t)
  const clientId = await newClient(app)
  const resource = `${app.origin}/memory/mcp`
  for (const more of [{}, { scope: '' }, { scope: 'offline_access' }]) {
    const { text } = await consentPage(app, begin(app, clientId, { resource, ...more }).url)
    assert.deepEqual(scopesIn(text), ['memory', 'memory:read'])
    assert.deepEqual(tickedIn(text), ['memory:read'])
  }
  const asked = await consentPage(app, begin(app, clientId, { resource, scope: 'memory' }).url)
  assert.deepEqual(tickedIn(asked.text), ['memory'])
  const everywhere = await consentPage(app, begin(app, clientId).url)
  assert.deepEqual(scopesIn(everywhere.text), app.app.scopes.all)
})

test('a scope that the resource does not know is refused before anybody is asked', { timeout }, async (t) => {
  const app = await oauthApp(t)
  const clientId = await newClient(app)
  const resource = `${app.origin}/memory/mcp`
  for (const scope of ['storage', 'memory nonsense', 'openid', 'memory:write']) {
    const browser = new Browser(app.origin)
    const { location } = await browser.authorize(begin(app, clientId, { resource, scope }).url)
    assert.equal(location?.searchParams.get('error'), 'invalid_scope', scope)
    assert.equal(location?.searchParams.get('state'), 'a state')
    assert.equal(location?.searchParams.get('iss'), app.origin)
    assert.deepEqual(browser.seen, [])
  }
})

test('what is unticked is not granted, and an empty grant issues nothing', { timeout }, async (t) => {
  const app = await oauthApp(t)
  const clientId = await newClient(app)
  const narrowed = await connect(app, clientId, { tick: () => ['memory:read'] })
  assert.equal(narrowed.answer.body['scope'], 'memory:read')
  const called = await call(app, '/memory/mcp', narrowed.access)
  assert.deepEqual(called.body['scopes'], ['memory:read'])
  assert.deepEqual(
    app.app.authorizations
      .list()
      .map(({ scopes, clientName, redirectHost, server }) => ({ scopes, clientName, redirectHost, server })),
    [{ scopes: ['memory:read'], clientName: 'Probe', redirectHost: '127.0.0.1', server: null }],
  )
  for (const tick of [() => [], () => 'deny' as const, () => ['unasked', 'peer']]) {
    const { location } = await narrowed.browser.authorize(begin(app, clientId).url, tick)
    assert.equal(location?.searchParams.get('error'), 'access_denied')
    assert.equal(location?.searchParams.get('code'), null)
  }
  assert.equal(app.app.authorizations.list().length, 1)
})

test('a step up asks for more and gets an authorization of its own', { timeout }, async (t) => {
  const app = await oauthApp(t)
  const clientId = await newClient(app)
  const first = await connect(app, clientId, { at: { scope: 'memory:read' } })
  const second = await connect(app, clientId, { browser: first.browser, at: { scope: 'memory:read memory' } })
  assert.equal(second.answer.body['scope'], 'memory memory:read')
  assert.deepEqual(first.browser.seen, ['login', 'consent', 'consent'])
})

test('a mistake of a request sends nobody but the owner to a web site', { timeout }, async (t) => {
  const app = await oauthApp(t)
  const web = await newClient(app, WEB)
  const native = await newClient(app)
  const browser = new Browser(app.origin)
  const at = { redirect_uri: WEB }
  for (const more of [
    { scope: 'nonsense' },
    { code_challenge: undefined },
    { response_type: 'token' },
    { prompt: 'none' },
  ]) {
    const { location, page } = await browser.authorize(begin(app, web, { ...at, ...more }).url)
    assert.equal(location, undefined, JSON.stringify(more))
    assert.equal(page?.status, 400)
    assert.doesNotMatch(page?.text ?? '', /app\.example/)
    const here = await browser.authorize(begin(app, native, more).url)
    assert.match(here.location?.href ?? '', /error=/, 'a program on this machine is answered')
  }
  await connect(app, web, { browser, at })
  const mine = await browser.authorize(begin(app, web, { ...at, scope: 'nonsense' }).url)
  assert.equal(mine.location?.searchParams.get('error'), 'invalid_scope')
  const refused = await browser.authorize(begin(app, web, { ...at, scope: 'memory' }).url, () => 'deny')
  assert.equal(refused.location?.searchParams.get('error'), 'access_denied')
  const silent = await new Browser(app.origin).authorize(begin(app, web, { ...at, prompt: 'none' }).url)
  assert.equal(
    silent.location?.searchParams.get('error'),
    'login_required',
    'a client that was let in may ask silently',
  )
})

test('the cookies of an authorization have names of this gateway, as those of the owner do', { timeout }, async (t) => {
  const app = await oauthApp(t)
  const clientId = await newClient(app)
  const browser = new Browser(app.origin)
  await browser.logIn()
  await browser.authorize(begin(app, clientId).url)
  assert.ok(browser.names.length >= 4)
  const own = ['operator', 'device', 'oauth', 'interaction', 'resume'].map((name) => app.app.cookieJar.nameOf(name, ''))
  for (const name of browser.names) assert.ok(own.includes(name.replace(/\.sig$/, '')), name)
})

test(
  'nobody who is not logged in gets through, whatever cookies of an authorization they have',
  { timeout },
  async (t) => {
    const app = await oauthApp(t)
    const clientId = await newClient(app, WEB)
    const { browser } = await connect(app, clientId, WEB_AT)
    const silent = begin(app, clientId, { redirect_uri: WEB, prompt: 'none' })
    await app.app.operators.revokeAll()
    const { location } = await browser.authorize(silent.url)
    assert.equal(location?.searchParams.get('error'), 'login_required')
    browser.seen.length = 0
    await connect(app, clientId, { ...WEB_AT, browser })
    assert.deepEqual(browser.seen, ['login'])
  },
)

test('a session that ends between the page and the answer grants nothing', { timeout }, async (t) => {
  const app = await oauthApp(t)
  const clientId = await newClient(app)
  const { browser, at } = await consentPage(app, begin(app, clientId).url)
  await app.app.operators.revokeAll()
  const answer = await browser.fetch(at, new URLSearchParams({ decision: 'allow', scope: 'memory' }))
  assert.match(answer.headers.get('location') ?? '', /^\/login\?next=/)
  assert.deepEqual(app.app.authorizations.list(), [])
})

test('the consent page belongs to the browser that began, and its form to the page', { timeout }, async (t) => {
  const app = await oauthApp(t)
  const clientId = await newClient(app)
  const { browser, at } = await consentPage(app, begin(app, clientId).url)
  const stranger = new Browser(app.origin)
  await stranger.logIn()
  assert.equal((await stranger.fetch(at)).status, 400)
  const form = new URLSearchParams({ decision: 'allow', scope: 'memory' })
  assert.equal((await stranger.fetch(at, form)).status, 400)
  for (const headers of [
    { origin: 'https://evil.example' },
    { origin: 'http://localhost:5173', 'sec-fetch-site': 'same-site' },
    { origin: app.origin, 'sec-fetch-site': 'cross-site' },
    { origin: 'null' },
    {},
  ]) {
    const forged = await browser.send(at, { method: 'POST', body: form, headers })
    assert.equal(forged.status, 403, JSON.stringify(headers))
  }
  assert.equal((await browser.fetch(at, form)).status, 303)
})

test('the page lets its form end at the redirect of this request, and nowhere else', { timeout }, async (t) => {
  const app = await oauthApp(t)
  for (const [redirectUri, target] of [
    ['http://127.0.0.1:54321/callback', 'http://127.0.0.1:54321'],
    [CURSOR, 'cursor:'],
    [WEB, 'https://app.example'],
  ] as const) {
    const clientId = await newClient(app, redirectUri)
    const { response, text } = await consentPage(app, begin(app, clientId, { redirect_uri: redirectUri }).url)
    const policy = response.headers.get('content-security-policy') ?? ''
    assert.ok(policy.includes(`form-action 'self' ${target};`), policy)
    assert.ok(policy.includes("frame-ancestors 'none'"))
    assert.equal(response.headers.get('referrer-policy'), 'same-origin')
    assert.equal(/stays on the device/.test(text), redirectUri !== WEB)
  }
})

test(
  'after the login form the browser goes on from a page of its own, not in a chain of redirects',
  { timeout },
  async (t) => {
    const app = await oauthApp(t)
    const clientId = await newClient(app, WEB)
    const { browser } = await connect(app, clientId, WEB_AT)
    await app.app.operators.revokeAll()
    const start = begin(app, clientId, { redirect_uri: WEB }).url
    const interaction = (await browser.fetch(start)).headers.get('location') ?? ''
    const login = (await browser.fetch(app.origin + interaction)).headers.get('location') ?? ''
    await browser.logIn()
    const next = new URL(login, app.origin).searchParams.get('next') ?? ''
    const page = await browser.fetch(app.origin + next)
    assert.equal(page.status, 200)
    assert.match(page.headers.get('refresh') ?? '', /^0; url=/)
  },
)

test('a name is shown inert, whatever it holds', { timeout }, async (t) => {
  const app = await oauthApp(t)
  const name = '<script>alert(1)</script>\u202Eevil\u200B\nClaude'
  const clientId = await newClient(app, LOOPBACK, { client_name: name })
  const { text } = await consentPage(app, begin(app, clientId).url)
  assert.ok(!/<script|[\u202E\u200B]/.test(text))
  const { browser } = await connect(app, clientId)
  assert.ok(browser.seen.includes('consent'))
  assert.ok(!/[\u202E\u200B\n]/.test(app.app.authorizations.list()[0]?.clientName ?? '\n'))
})

test('whoever comes by another name of this machine goes on under the one of the issuer', { timeout }, async (t) => {
  const app = await oauthApp(t)
  const clientId = await newClient(app)
  const { url } = begin(app, clientId)
  const answer = await fetch(url.replace('127.0.0.1', 'localhost'), { redirect: 'manual' })
  assert.equal(answer.headers.get('location'), url)
})

test('an authorization is single use: going back to its page grants nothing more', { timeout }, async (t) => {
  const app = await oauthApp(t)
  const clientId = await newClient(app)
  const { browser, at } = await consentPage(app, begin(app, clientId).url)
  const form = new URLSearchParams({ decision: 'allow', scope: 'memory:read' })
  const resume = (await browser.fetch(at, form)).headers.get('location') ?? ''
  assert.equal((await browser.fetch(resume)).status, 303)
  assert.equal((await browser.fetch(at, form)).status, 400)
  assert.equal((await browser.fetch(resume)).status, 400)
})

test('what was let in is listed, and all of it can be sent away at once', { timeout }, async (t) => {
  const app = await oauthApp(t)
  const clientId = await newClient(app)
  const first = await connect(app, clientId)
  await connect(app, clientId, { browser: first.browser })
  // A consent whose code nobody redeemed is no connection.
  codeIn(await first.browser.authorize(begin(app, clientId).url))
  assert.equal(app.app.authorizations.list().length, 2)
  assert.equal(await app.app.authorizations.revokeAll(), 2)
  assert.deepEqual(app.app.authorizations.list(), [])
  assert.equal((await refresh(app, clientId, first.refresh)).body['error'], 'invalid_grant')
  assert.equal((await call(app, '/memory/mcp', first.access)).status, 401)
})
