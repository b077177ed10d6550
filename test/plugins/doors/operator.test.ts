import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Browser, gateway, PASSWORD, signedIn } from '../login/browser.ts'

const timeout = 60_000

test(
  'strangers at the door of the owner are counted by address; the owner at the same address comes in all the same',
  { timeout },
  async (t) => {
    const { app, browser } = await signedIn(t, { CROW_LIMIT_STRANGER: '10' })
    const stranger = new Browser(app)
    const answers = []
    for (let request = 0; request < 12; request++) answers.push((await stranger.get('/account')).statusCode)
    assert.deepEqual(answers, [...Array<number>(10).fill(303), 429, 429])
    const forged = new Browser(app)
    forged.cookies.set(app.cookieJar.nameOf('operator', ''), `operator.${'A'.repeat(43)}.${'B'.repeat(43)}`)
    assert.equal((await forged.get('/account')).statusCode, 429)
    for (let request = 0; request < 30; request++) assert.equal((await browser.get('/account')).statusCode, 200)
  },
)

test('what the owner asks is not charged to the address', { timeout }, async (t) => {
  const { app, browser } = await signedIn(t, { CROW_LIMIT_STRANGER: '10' })
  for (let request = 0; request < 30; request++) await browser.get('/account')
  assert.equal((await new Browser(app).get('/account')).statusCode, 303)
})

test('a session has a budget of its own', { timeout }, async (t) => {
  const { browser } = await signedIn(t, { CROW_LIMIT_PRINCIPAL: '1' })
  const answers = []
  for (let request = 0; request < 17; request++) answers.push((await browser.get('/account')).statusCode)
  assert.deepEqual(answers.slice(-3), [200, 200, 429].slice(0, 1).concat([429, 429]))
})

test('a program is told in its own dialect, a browser is sent to the login', { timeout }, async (t) => {
  const { app } = await gateway(t)
  await app.operators.setPassword(PASSWORD)
  const browser = new Browser(app)
  assert.equal((await browser.get('/account?x=1')).headers.location, '/login?next=%2Faccount%3Fx%3D1')
  assert.equal((await browser.post('/account/password', {})).headers.location, '/login?next=%2Faccount')
  const api = await browser.get('/api/health')
  assert.deepEqual([api.statusCode, api.json().code], [401, 'LOGIN_REQUIRED'])
})
