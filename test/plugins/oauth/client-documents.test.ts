// Clients that bring a metadata document instead of registering: the same rules, and only what was let in is kept.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FetchFailed, FetchRefused } from '../../../src/lib/guarded-fetch.ts'
import type { DocumentFetch } from '../../../src/oauth/client-documents.ts'
import { sweepOAuth } from '../../../src/oauth/store/sweep.ts'
import { Browser } from './browser.ts'
import { begin, call, connect, post, refresh, textOf, WEB } from './client.ts'
import { oauthApp, type OAuthApp } from './oauth-app.ts'

const timeout = 60_000
const ID = 'https://app.example/oauth/client.json'

/** Answers with these documents, and notes what was fetched. */
function documents(known: Readonly<Record<string, object>>) {
  const fetched: string[] = []
  const fetchDocument = async (url: string | URL): Promise<Response> => {
    fetched.push(String(url))
    const found = known[String(url)]
    if (found === undefined) throw new FetchRefused('it is not on the public internet')
    return Response.json(found, { headers: { 'cache-control': 'max-age=300' } })
  }
  return { fetched, fetchDocument }
}

test('a client is known by its document, which is fetched once, and registers nothing', { timeout }, async (t) => {
  const { fetched, fetchDocument } = documents({
    [ID]: { client_id: ID, client_name: 'Documented', redirect_uris: [WEB], scope: 'anything' },
  })
  const app = await oauthApp(t, { fetchDocument })
  const { answer, access, browser } = await connect(app, ID, { at: { redirect_uri: WEB } })
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  assert.equal((await call(app, '/memory/mcp', access)).body['client'], 'Documented')
  assert.deepEqual(fetched, [ID])
  assert.deepEqual(app.app.database.sqlite.prepare('select id from oauth_clients').all(), [])
  await connect(app, ID, { browser, at: { redirect_uri: WEB } })
  assert.deepEqual(browser.seen, ['login', 'consent'], 'an https redirect of a document is remembered too')
})

test(
  'a loopback redirect makes it native too, and its consent names the host of the document',
  { timeout },
  async (t) => {
    const loopback = 'http://127.0.0.1/callback'
    const { fetchDocument } = documents({
      [ID]: { client_id: ID, client_name: 'CLI', redirect_uris: [loopback], application_type: 'web' },
    })
    const app = await oauthApp(t, { fetchDocument })
    const at = { redirect_uri: 'http://127.0.0.1:50123/callback' }
    const { browser } = await connect(app, ID, { at })
    await connect(app, ID, { browser, at })
    assert.deepEqual(browser.seen, ['login', 'consent', 'consent'])
    assert.match(browser.lastConsent, /app\.example/)
  },
)

test('a document that is refused, belongs to another or carries a secret makes no client', { timeout }, async (t) => {
  const bad = {
    'https://other.example/client': { client_id: ID, client_name: 'Other', redirect_uris: [WEB] },
    'https://nameless.example/client': { client_id: 'https://nameless.example/client', redirect_uris: [WEB] },
    'https://secret.example/client': {
      client_id: 'https://secret.example/client',
      client_name: 'Secret',
      client_secret: 'x'.repeat(40),
      redirect_uris: [WEB],
    },
    'https://plain.example/client': {
      client_id: 'https://plain.example/client',
      client_name: 'Plain',
      redirect_uris: ['http://plain.example/'],
    },
  }
  const { fetched, fetchDocument } = documents(bad)
  const app = await oauthApp(t, { fetchDocument })
  const browser = new Browser(app.origin)
  for (const id of [
    ...Object.keys(bad),
    'https://169.254.169.254/latest',
    'http://app.example/client',
    'https://a@app.example/x',
  ]) {
    const answer = await browser.fetch(begin(app, id, { redirect_uri: WEB }).url)
    assert.equal(answer.status, 400, id)
    assert.equal(answer.headers.get('location'), null)
    assert.ok(!(await answer.text()).includes('public internet'))
    const token = await post(app, '/token', { grant_type: 'refresh_token', refresh_token: 'x', client_id: id })
    assert.ok(token.status === 400 || token.status === 401, id)
  }
  assert.ok(!fetched.some((url) => url.startsWith('http:') || url.includes('@')))
})

test('of a document only what is used is read: nothing else of it is fetched or can break', { timeout }, async (t) => {
  const { fetched, fetchDocument } = documents({
    [ID]: {
      client_id: ID,
      client_name: 'Documented',
      redirect_uris: [WEB],
      logo_uri: { toString: 1 },
      client_uri: 'javascript:1',
      jwks_uri: 'https://inside.example/keys',
      subject_type: 'pairwise',
      sector_identifier_uri: 'https://inside.example/sector',
    },
  })
  const app = await oauthApp(t, { fetchDocument })
  const { answer } = await connect(app, ID, { at: { redirect_uri: WEB } })
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  assert.deepEqual(fetched, [ID])
})

test(
  'while its host is silent a client that was let in goes on, and a new one comes back later',
  { timeout },
  async (t) => {
    const { fetchDocument } = documents({ [ID]: { client_id: ID, client_name: 'Documented', redirect_uris: [WEB] } })
    const app = await oauthApp(t, { fetchDocument })
    const { refresh: token } = await connect(app, ID, { at: { redirect_uri: WEB } })
    let failure = new FetchFailed('it took too long')
    const fetchNothing = (): Promise<Response> => Promise.reject(failure)
    const restart = async (before: OAuthApp, fetchAnew: DocumentFetch) => {
      await before.app.close()
      return await oauthApp(t, { fetchDocument: fetchAnew, dataDir: app.dataDir, port: app.port })
    }
    const restarted = await restart(app, fetchNothing)
    const renewed = await refresh(restarted, ID, token)
    assert.equal(renewed.status, 200, JSON.stringify(renewed.body))
    const unknown = 'https://new.example/client'
    const answer = await refresh(restarted, unknown, 'x')
    assert.deepEqual([answer.status, answer.body['error']], [503, 'temporarily_unavailable'])
    assert.ok(answer.headers.get('retry-after'))
    const page = await new Browser(restarted.origin).fetch(begin(restarted, unknown, { redirect_uri: WEB }).url)
    assert.equal(page.status, 503)
    assert.ok(!(await page.text()).includes('Remove it in the app'))
    failure = new FetchRefused('it was answered with status 404')
    const gone = await restart(restarted, fetchNothing)
    assert.equal((await refresh(gone, ID, textOf(renewed, 'refresh_token'))).body['error'], 'invalid_client')
  },
)

test('a document is kept while its client holds something, and follows what is fetched', { timeout }, async (t) => {
  const known = { [ID]: { client_id: ID, client_name: 'Before', redirect_uris: [WEB] } }
  const { fetchDocument } = documents(known)
  const app = await oauthApp(t, { fetchDocument })
  const kept = (at = app) =>
    at.app.database.sqlite.prepare("select id, document ->> 'client_name' as name from client_documents").all()
  await new Browser(app.origin).fetch(begin(app, ID, { redirect_uri: WEB }).url)
  assert.deepEqual(kept(), [], 'nothing for a stranger')
  const { refresh: token } = await connect(app, ID, { at: { redirect_uri: WEB } })
  assert.deepEqual(kept(), [{ id: ID, name: 'Before' }])
  known[ID].client_name = 'After'
  await app.app.close()
  const restarted = await oauthApp(t, { fetchDocument, dataDir: app.dataDir, port: app.port })
  assert.equal((await refresh(restarted, ID, token)).status, 200)
  assert.deepEqual(kept(restarted), [{ id: ID, name: 'After' }])
  await restarted.app.authorizations.revokeAll()
  restarted.time.offsetMs += 2 * 3_600_000
  await sweepOAuth(restarted.app.database, restarted.app.clock)
  assert.deepEqual(kept(restarted), [])
})

test('what goes on ignores a query of its own', { timeout }, async (t) => {
  const app = await oauthApp(t)
  for (const query of ['?client_id=x', '?request=x&resource=y', '?%00=1']) {
    const answer = await fetch(`${app.origin}/authorize/abcdefghijklmnopqrstu${query}`, { redirect: 'manual' })
    assert.equal(answer.status, 400, await answer.text())
  }
  assert.ok(!app.lines.some((line) => line.includes('"level":"error"')))
})

test('the address of a document has one spelling, a path and a bound', { timeout }, async (t) => {
  const fetched: string[] = []
  const fetchDocument = (url: string | URL): Promise<Response> => {
    fetched.push(String(url))
    return Promise.resolve(Response.json({ client_id: String(url), client_name: 'Any', redirect_uris: [WEB] }))
  }
  const app = await oauthApp(t, { fetchDocument })
  const browser = new Browser(app.origin)
  for (const id of [
    'HTTPS://app.example/client',
    'Https://app.example/client',
    'https://app.example',
    'https://app.example?client',
    `https://app.example/${'x'.repeat(2100)}`,
  ]) {
    const { page } = await browser.authorize(begin(app, id, { redirect_uri: WEB }).url)
    assert.equal(page?.status, 400, id)
    assert.match(page?.text ?? '', /invalid_client/)
  }
  assert.deepEqual(fetched, [])
})
