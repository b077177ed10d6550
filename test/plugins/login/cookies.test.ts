// The cookies of the owner: whose they are, what they are bound to, and when they are none.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { buildApp } from '../../../src/app.ts'
import { Browser, gateway, PASSWORD, sessionOf, signedIn } from './browser.ts'

const timeout = 60_000

test('over https the cookies are bound to the host, and plain ones count for nothing there', { timeout }, async (t) => {
  const { app } = await signedIn(t, { CROW_GATEWAY_URL: 'https://crow.example/gate' })
  const secure = new Browser(app, { host: 'crow.example', scheme: 'https' })
  const answer = await secure.post('/login', { password: PASSWORD, next: '/interaction/abc' })
  assert.equal(answer.headers.location, '/gate/interaction/abc')
  const [session = ''] = [answer.headers['set-cookie']].flat().map(String)
  const name = app.cookieJar.nameOf('operator', '__Host-')
  assert.match(name, /^__Host-/)
  assert.ok(session.startsWith(`${name}=`))
  assert.match(session, /=[^;]+; Max-Age=\d+; Path=\/; HttpOnly; Secure; SameSite=Lax$/)
  const value = secure.cookies.get(name) ?? ''
  const plain = new Browser(app, { host: 'crow.example', scheme: 'https' })
  plain.cookies.set(sessionOf(app), value)
  assert.match((await plain.get('/login')).body, /name="password"/)
  const local = new Browser(app)
  await local.post('/login', { password: PASSWORD })
  assert.deepEqual([...local.cookies.keys()], [sessionOf(app), app.cookieJar.nameOf('device', '')])
})

test('behind a proxy that puts its own name into Host the owner signs in all the same', { timeout }, async (t) => {
  for (const [env, prefix] of [
    [{}, ''],
    [{ CROW_TRUSTED_PROXIES: '127.0.0.1' }, '__Host-'],
  ] as const) {
    const { app } = await signedIn(t, { CROW_GATEWAY_URL: 'https://crow.example', ...env })
    const name = app.cookieJar.nameOf('operator', prefix)
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
    const good = browser.cookies.get(sessionOf(app)) ?? ''
    const device = browser.cookies.get(app.cookieJar.nameOf('device', '')) ?? ''
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
      thief.cookies.set(sessionOf(app), bad)
      assert.equal((await thief.get('/account')).statusCode, 303, bad)
    }
    await app.operators.revokeAll()
    assert.equal((await browser.get('/account')).headers.location, '/login?next=%2Faccount')
  },
)

test(
  'gateways on one host keep one browser signed in, whatever their ports, with https and without',
  { timeout },
  async (t) => {
    for (const [env, hosts] of [
      [{}, ['127.0.0.1', '127.0.0.1:3001']],
      [{ CROW_GATEWAY_URL: 'https://crow.example/one' }, ['crow.example', 'crow.example']],
    ] as const) {
      const scheme = 'CROW_GATEWAY_URL' in env ? 'https' : 'http'
      const browsers: Browser[] = []
      for (const host of hosts) {
        const { app } = await gateway(t, env)
        await app.operators.setPassword(PASSWORD)
        const browser = new Browser(app, { host, scheme })
        // A browser keeps one jar for all of them.
        for (const [name, value] of browsers[0]?.cookies ?? []) browser.cookies.set(name, value)
        assert.equal((await browser.post('/login', { password: PASSWORD })).statusCode, 303)
        browsers.push(browser)
      }
      const [one, both] = browsers
      assert.equal(both?.cookies.size, 4)
      for (const [name, value] of one?.cookies ?? []) assert.equal(both?.cookies.get(name), value)
    }
  },
)

test('a second process on the same database knows the cookies of the first', { timeout }, async (t) => {
  const { app, browser } = await signedIn(t)
  const beside = await buildApp(app.config, { log: app.gateway.log })
  t.after(() => beside.close())
  const moved = new Browser(beside)
  for (const [name, value] of browser.cookies) moved.cookies.set(name, value)
  assert.equal((await moved.get('/account')).statusCode, 200)
})
