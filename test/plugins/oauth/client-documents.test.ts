// Clients that bring a metadata document instead of registering: the same rules, and nothing stored.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FetchRefused } from '../../../src/lib/guarded-fetch.ts'
import { Browser } from './browser.ts'
import { begin, call, connect, post, WEB } from './client.ts'
import { oauthApp } from './oauth-app.ts'

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

test('a client is known by its document, which is fetched once and not stored', { timeout }, async (t) => {
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
    'https://other.example/client': { client_id: ID, redirect_uris: [WEB] },
    'https://secret.example/client': {
      client_id: 'https://secret.example/client',
      client_secret: 'x'.repeat(40),
      redirect_uris: [WEB],
    },
    'https://plain.example/client': {
      client_id: 'https://plain.example/client',
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
