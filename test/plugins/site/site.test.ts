// What browsers and crawlers ask every site for.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { addOwner } from '../../fixtures/owner.ts'
import { startApp } from '../../fixtures/running-app.ts'

const timeout = 30_000

async function start(t: TestContext, env: Record<string, string> = {}) {
  const running = await startApp(env)
  t.after(() => running.close())
  await addOwner(running.app.database)
  return running.app
}

test('the bare address leads to the account, and tells a client that it is no stream', { timeout }, async (t) => {
  const bases = [['', {}] as const, ['/deep', { CROW_GATEWAY_URL: 'https://crow.example/deep' }] as const]
  for (const [base, env] of bases) {
    const app = await start(t, env)
    for (const headers of [{}, { accept: 'text/html,*/*;q=0.8' }]) {
      const page = await app.inject({ url: `${base}/`, headers })
      assert.equal(page.statusCode, 303)
      assert.equal(page.headers.location, `${base}/account`)
    }
    const streamed = await app.inject({ url: `${base}/`, headers: { accept: 'application/json, text/event-stream' } })
    const posted = await app.inject({ method: 'POST', url: `${base}/`, headers: { accept: 'text/html' } })
    for (const answer of [streamed, posted]) {
      assert.equal(answer.statusCode, 404)
      assert.equal(answer.json().code, 'ROUTE_MISSING')
    }
  }
})

test('no crawler is invited, and it may remember that for a day', { timeout }, async (t) => {
  const app = await start(t)
  const answer = await app.inject('/robots.txt')
  assert.equal(answer.statusCode, 200)
  assert.equal(answer.body, 'User-agent: *\nDisallow: /\n')
  assert.match(String(answer.headers['content-type']), /^text\/plain/)
  assert.match(String(answer.headers['cache-control']), /max-age=86400/)
  assert.equal((await app.inject({ method: 'HEAD', url: '/robots.txt' })).body, '')
})

test(
  'the manifest names what there is: its start, its scope and its icon, below the public path',
  { timeout },
  async (t) => {
    const bases = [
      ['', {}],
      ['/deep', { CROW_GATEWAY_URL: 'https://crow.example/deep' }],
    ] as const
    for (const [base, env] of bases) {
      const app = await start(t, env)
      const answer = await app.inject(`${base}/manifest.webmanifest`)
      assert.equal(answer.statusCode, 200)
      assert.match(String(answer.headers['content-type']), /^application\/manifest\+json/)
      const manifest = answer.json()
      assert.equal(manifest.scope, `${base}/`)
      assert.ok(manifest.start_url.startsWith(manifest.scope))
      const [icon] = manifest.icons
      const drawn = await app.inject(icon.src)
      assert.equal(drawn.statusCode, 200)
      assert.match(String(drawn.headers['content-type']), /^image\/svg\+xml/)
      assert.doesNotMatch(drawn.body, /<script|href=/)
    }
  },
)
