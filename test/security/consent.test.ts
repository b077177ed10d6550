// Attacks on the consent of the owner: ways around it, its page, its form, names that pretend.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Browser } from '../plugins/oauth/browser.ts'
import { begin, connect, LOOPBACK, newClient, WEB } from '../plugins/oauth/client.ts'
import { ownedApp, type OwnedApp } from './owned-app.ts'

const timeout = 120_000

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
