// The cookies of the owner: whose they are, what they are bound to, and when they are none.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Browser, PASSWORD, signedIn } from './browser.ts'

const timeout = 60_000
const SESSION = 'crow_operator'

test('over https the cookies are bound to the host, and plain ones count for nothing there', { timeout }, async (t) => {
  const { app } = await signedIn(t, { CROW_GATEWAY_URL: 'https://crow.example/gate' })
  const secure = new Browser(app, { host: 'crow.example', scheme: 'https' })
  const answer = await secure.post('/login', { password: PASSWORD, next: '/interaction/abc' })
  assert.equal(answer.headers.location, '/gate/interaction/abc')
  const [session = ''] = [answer.headers['set-cookie']].flat().map(String)
  assert.match(session, /^__Host-crow_operator=[^;]+; Max-Age=\d+; Path=\/; HttpOnly; Secure; SameSite=Lax$/)
  const value = secure.cookies.get('__Host-crow_operator') ?? ''
  const plain = new Browser(app, { host: 'crow.example', scheme: 'https' })
  plain.cookies.set(SESSION, value)
  assert.match((await plain.get('/login')).body, /name="password"/)
  const local = new Browser(app)
  await local.post('/login', { password: PASSWORD })
  assert.deepEqual([...local.cookies.keys()], ['crow_operator', 'crow_device'])
})

test('behind a proxy that puts its own name into Host the owner signs in all the same', { timeout }, async (t) => {
  for (const [env, name] of [
    [{}, 'crow_operator'],
    [{ CROW_TRUSTED_PROXIES: '127.0.0.1' }, '__Host-crow_operator'],
  ] as const) {
    const { app } = await signedIn(t, { CROW_GATEWAY_URL: 'https://crow.example', ...env })
    const browser = new Browser(app)
    const headers = { origin: 'https://crow.example', 'x-forwarded-proto': 'https', 'x-forwarded-for': '192.168.1.9' }
    const answer = await browser.post('/login', { password: PASSWORD }, headers)
    assert.equal(answer.statusCode, 303)
    assert.ok(browser.cookies.has(name), name)
    assert.equal((await browser.get('/login', headers)).headers.location, '/account')
    const plain = await browser.post('/login', { password: PASSWORD }, { ...headers, origin: 'http://crow.example' })
    assert.equal(plain.statusCode, 403)
  }
})

test(
  'a cookie with another signature, of another kind, or of a session that ended, is none',
  { timeout },
  async (t) => {
    const { app, browser } = await signedIn(t)
    const good = browser.cookies.get(SESSION) ?? ''
    const device = browser.cookies.get('crow_device') ?? ''
    for (const bad of [
      good.slice(0, -2),
      good.replace('operator.', 'operator.A'),
      device,
      decodeURIComponent(good).split('.').slice(0, 2).join('.'),
      '',
      'operator.',
      `operator.${'A'.repeat(43)}.${'A'.repeat(43)}`,
    ]) {
      const thief = new Browser(app)
      thief.cookies.set(SESSION, bad)
      assert.equal((await thief.get('/account')).statusCode, 303, bad)
    }
    await app.operators.revokeAll()
    assert.equal((await browser.get('/account')).headers.location, '/login?next=%2Faccount')
  },
)

test('a gateway at another port of the same host has cookies of its own', { timeout }, async (t) => {
  const { app } = await signedIn(t)
  const beside = new Browser(app, { host: '127.0.0.1:4002' })
  assert.equal((await beside.post('/login', { password: PASSWORD })).statusCode, 303)
  assert.deepEqual([...beside.cookies.keys()], ['crow_operator_4002', 'crow_device_4002'])
})
