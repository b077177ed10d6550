// Which consents are remembered, for what exactly, and which never are.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Browser } from './browser.ts'
import { begin, connect, LOOPBACK, newClient, WEB } from './client.ts'
import { oauthApp } from './oauth-app.ts'

const timeout = 60_000
const CURSOR = 'cursor://anysphere.cursor-mcp/oauth/callback'
const WEB_AT = { at: { redirect_uri: WEB } }

test('consent to a web client is remembered for exactly what was asked', { timeout }, async (t) => {
  const app = await oauthApp(t)
  const clientId = await newClient(app, WEB)
  const first = await connect(app, clientId, { ...WEB_AT, tick: () => ['memory:read'] })
  const { browser } = first
  const seen = (): string[] => browser.seen.splice(0)
  assert.deepEqual(seen(), ['login', 'consent'])
  const again = await connect(app, clientId, { ...WEB_AT, browser })
  assert.equal(again.answer.body['scope'], 'memory:read')
  assert.deepEqual(seen(), [])
  const silent = await connect(app, clientId, { browser, at: { redirect_uri: WEB, prompt: 'none' } })
  assert.equal(silent.answer.status, 200)
  await connect(app, clientId, { browser, at: { redirect_uri: WEB, scope: 'memory' } })
  assert.deepEqual(seen(), ['consent'])
  await connect(app, clientId, { browser, at: { redirect_uri: WEB, prompt: 'consent' } })
  assert.deepEqual(seen(), ['consent'])
  const sameRedirect = await newClient(app, WEB)
  await connect(app, sameRedirect, { ...WEB_AT, browser })
  assert.deepEqual(seen(), ['consent'])
  for (const { id } of app.app.authorizations.list()) await app.app.authorizations.revoke(id)
  await connect(app, clientId, { ...WEB_AT, browser })
  assert.deepEqual(seen(), ['consent'], 'whoever is sent away is asked again')
})

test(
  'consent is for where the answer goes: another redirect of the same client is asked about',
  { timeout },
  async (t) => {
    const app = await oauthApp(t)
    const elsewhere = 'https://elsewhere.example/callback'
    const clientId = await newClient(app, WEB, { redirect_uris: [WEB, `${WEB}/2`, elsewhere] })
    const { browser } = await connect(app, clientId, WEB_AT)
    browser.seen.length = 0
    const silent = begin(app, clientId, { redirect_uri: elsewhere, prompt: 'none' })
    assert.equal((await browser.authorize(silent.url)).location?.searchParams.get('error'), 'consent_required')
    await connect(app, clientId, { browser, at: { redirect_uri: elsewhere } })
    assert.deepEqual(browser.seen, ['consent'])
    assert.match(browser.lastConsent, /elsewhere\.example/)
    assert.doesNotMatch(browser.lastConsent, /app\.example/)
    await connect(app, clientId, { browser, at: { redirect_uri: `${WEB}/2` } })
    await connect(app, clientId, { browser, at: { redirect_uri: elsewhere } })
    assert.deepEqual(browser.seen, ['consent'])
  },
)

test('who says no is asked again, and asked about other servers as before', { timeout }, async (t) => {
  const app = await oauthApp(t)
  const clientId = await newClient(app, WEB)
  const memory = { redirect_uri: WEB, resource: `${app.origin}/memory/mcp` }
  const storage = { redirect_uri: WEB, resource: `${app.origin}/storage/mcp` }
  const { browser } = await connect(app, clientId, { at: memory })
  await connect(app, clientId, { browser, at: storage })
  browser.seen.length = 0
  const again = begin(app, clientId, { ...memory, prompt: 'consent' })
  assert.equal((await browser.authorize(again.url, () => 'deny')).location?.searchParams.get('error'), 'access_denied')
  await connect(app, clientId, { browser, at: storage })
  assert.deepEqual(browser.seen, ['consent'])
  await connect(app, clientId, { browser, at: memory })
  assert.deepEqual(browser.seen, ['consent', 'consent'])
})

test(
  'a client with a redirect to this machine is warned about for that one, and never remembered',
  { timeout },
  async (t) => {
    const app = await oauthApp(t)
    const both = await newClient(app, WEB, { redirect_uris: [LOOPBACK, WEB] })
    const named = 'https://a.localhost/callback'
    const spelled = await newClient(app, WEB, { redirect_uris: [WEB, named] })
    for (const [clientId, redirectUri, isWarned] of [
      [both, LOOPBACK, true],
      [both, WEB, false],
      [spelled, named, true],
      [spelled, WEB, false],
    ] as const) {
      const at = { redirect_uri: redirectUri }
      const { browser } = await connect(app, clientId, { at })
      await connect(app, clientId, { browser, at })
      assert.deepEqual(browser.seen, ['login', 'consent', 'consent'])
      assert.equal(/stays on the device/.test(browser.lastConsent), isWarned, redirectUri)
    }
  },
)

test('programs on a machine are asked about each time, and never silently let in', { timeout }, async (t) => {
  const app = await oauthApp(t)
  for (const redirectUri of [LOOPBACK, CURSOR]) {
    const clientId = await newClient(app, redirectUri)
    const browser = new Browser(app.origin)
    const at = { redirect_uri: redirectUri }
    await connect(app, clientId, { browser, at })
    await connect(app, clientId, { browser, at })
    assert.deepEqual(browser.seen, ['login', 'consent', 'consent'])
    const { location } = await browser.authorize(begin(app, clientId, { ...at, prompt: 'none' }).url)
    assert.equal(location?.searchParams.get('error'), 'consent_required')
  }
})
