// Setting up, signing in and out.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Browser, gateway, PASSWORD, problemOn, signedIn, sessionOf } from './browser.ts'

const timeout = 60_000
const TOKEN = 'kX2pQ9vLm4Rt7WbZ1cYdNf'
const ATTRIBUTES = /; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Lax$/

test('the owner sets the first password with the code of the terminal, and is signed in', { timeout }, async (t) => {
  const { app } = await gateway(t)
  const browser = new Browser(app)
  assert.equal((await browser.get('/login')).headers.location, '/setup')
  assert.equal((await browser.get('/account')).headers.location, '/login?next=%2Faccount')
  const code = await app.operators.makeSetupCode()
  const form = { code, password: PASSWORD, repeated: PASSWORD }
  assert.match(problemOn(await browser.post('/setup', { ...form, repeated: 'other' })), /not the same/)
  assert.match(
    problemOn(await browser.post('/setup', { ...form, code: 'AAAA-AAAA-AAAA' })),
    /code is wrong.*crow operator setup-code/,
  )
  const weak = await browser.post('/setup', { code, password: 'password1234', repeated: 'password1234' })
  assert.deepEqual([weak.statusCode, /guesser/.test(problemOn(weak))], [400, true])
  assert.equal(browser.cookies.size, 0)
  const done = await browser.post('/setup', form)
  assert.deepEqual([done.statusCode, done.headers.location], [303, '/account'])
  assert.equal((await browser.get('/account')).statusCode, 200)
  const late = new Browser(app)
  assert.equal((await late.get('/setup')).headers.location, '/login')
  assert.equal((await late.post('/setup', form)).headers.location, '/login')
  assert.equal(late.cookies.size, 0)
})

test('whoever was on the way somewhere gets there, by the set-up as by the login', { timeout }, async (t) => {
  const { app } = await gateway(t)
  const browser = new Browser(app)
  const setup = String((await browser.get('/login?next=/interaction/abc')).headers.location)
  assert.equal(setup, '/setup?next=%2Finteraction%2Fabc')
  assert.match((await browser.get(setup)).body, /name="next"\s+value="\/interaction\/abc"/)
  const form = { code: await app.operators.makeSetupCode(), password: PASSWORD, next: '/interaction/abc' }
  assert.match((await browser.post('/setup', { ...form, repeated: 'x' })).body, /value="\/interaction\/abc"/)
  const done = await browser.post('/setup', { ...form, repeated: PASSWORD })
  assert.equal(done.headers.location, '/interaction/abc')
  assert.equal((await new Browser(app).get(setup)).headers.location, '/login?next=%2Finteraction%2Fabc')
  assert.equal((await browser.get('/login?next=/interaction/abc')).headers.location, '/interaction/abc')
})

test(
  'a second factor that the key does not open lets nobody in, and is turned off on the terminal',
  { timeout },
  async (t) => {
    const { app } = await signedIn(t)
    app.database.sqlite.exec("UPDATE operators SET totp_sealed = 'v1.lost.AAAA'")
    const browser = new Browser(app)
    const answer = await browser.post('/login', { password: PASSWORD, code: '123456' })
    assert.deepEqual([answer.statusCode, browser.cookies.size], [503, 0])
    assert.match(problemOn(answer), /cannot be opened with this key/)
    await app.operators.disableFactor()
    assert.equal((await browser.post('/login', { password: PASSWORD })).statusCode, 303)
  },
)

test('of two browsers that set up at once, one becomes the owner', { timeout }, async (t) => {
  const { app } = await gateway(t, { CROW_SETUP_TOKEN: TOKEN })
  const browsers = [new Browser(app), new Browser(app, { address: '127.0.0.2' })]
  const form = { code: TOKEN, password: PASSWORD, repeated: PASSWORD }
  const answers = await Promise.all(browsers.map((browser) => browser.post('/setup', form)))
  assert.deepEqual(new Set(answers.map(({ headers }) => headers.location)), new Set(['/account', '/login']))
  assert.equal(app.operators.sessions().length, 1)
})

test(
  'signing in gives this browser a new secret that script cannot read, whatever cookie it came with',
  { timeout },
  async (t) => {
    const { app } = await signedIn(t)
    const browser = new Browser(app)
    browser.cookies.set(sessionOf(app), 'operator.planted.signature')
    const first = await browser.post('/login', { password: PASSWORD })
    const lines = [first.headers['set-cookie']].flat().map(String)
    assert.equal(lines.length, 2)
    assert.match(lines[0] ?? '', new RegExp(`^${sessionOf(app)}=operator\\.[\\w-]{43}\\.[^;]+${ATTRIBUTES.source}`))
    const before = browser.cookies.get(sessionOf(app)) ?? ''
    await browser.post('/login', { password: PASSWORD })
    assert.notEqual(browser.cookies.get(sessionOf(app)), before)
    const old = new Browser(app)
    old.cookies.set(sessionOf(app), before)
    assert.equal((await old.get('/account')).statusCode, 303, 'the session of before has ended')
  },
)

test(
  'signing out ends the session and not only its cookie, and a second time is no failure',
  { timeout },
  async (t) => {
    const { app, browser } = await signedIn(t)
    const kept = browser.cookies.get(sessionOf(app)) ?? ''
    assert.equal((await browser.post('/logout')).headers.location, '/login')
    assert.equal(browser.cookies.has(sessionOf(app)), false)
    assert.ok(browser.cookies.has(app.cookieJar.nameOf('device', '')))
    browser.cookies.set(sessionOf(app), kept)
    assert.equal((await browser.get('/account')).statusCode, 303)
    assert.equal((await browser.post('/logout')).headers.location, '/login')
    assert.deepEqual(app.operators.sessions(), [])
  },
)

test('forms that another page sends are refused, with a cookie or without', { timeout }, async (t) => {
  const { app, browser } = await signedIn(t)
  const foreign: readonly Record<string, string>[] = [
    { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
    { origin: 'null', 'sec-fetch-site': '' },
    { origin: 'http://127.0.0.1:3002', 'sec-fetch-site': '' },
    { origin: 'http://localhost:3001', 'sec-fetch-site': '' },
    { origin: 'https://127.0.0.1:3001', 'sec-fetch-site': '' },
    { 'sec-fetch-site': 'same-site' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'none' },
    { origin: '', 'sec-fetch-site': '' },
  ]
  const paths = app.routeTable
    .filter(({ method, doors }) => method === 'POST' && doors[0] === 'operator')
    .map(({ path }) => path)
  assert.ok(paths.length >= 6)
  const session = app.operators.sessions()
  for (const headers of foreign) {
    for (const path of ['/login', '/setup', '/logout', ...paths]) {
      const answer = await browser.post(path, { password: PASSWORD, current: PASSWORD, id: '1' }, headers)
      assert.equal(answer.statusCode, 403, `${path} ${JSON.stringify(headers)}`)
      assert.equal(answer.headers['set-cookie'], undefined)
    }
  }
  assert.deepEqual(app.operators.sessions(), session)
  assert.equal(
    (await browser.post('/login', { password: PASSWORD }, { 'sec-fetch-site': '' })).statusCode,
    303,
    'an older browser',
  )
})

test('next leads to a path of this gateway and nowhere else', { timeout }, async (t) => {
  const { app } = await signedIn(t)
  const target = async (next: string): Promise<unknown> => {
    const browser = new Browser(app)
    const page = await browser.get(`/login?next=${encodeURIComponent(next)}`)
    assert.ok(!page.body.includes('evil'), next)
    return (await browser.post('/login', { password: PASSWORD, next })).headers.location
  }
  assert.equal(await target('/interaction/x_Y-1?a=b%20c&d'), '/interaction/x_Y-1?a=b%20c&d')
  assert.equal(await target('/a/../account?x=//other.example'), '/account?x=//other.example')
  for (const bad of [
    '//evil.example',
    '/\\evil.example',
    '\\\\evil.example',
    'https://evil.example',
    'javascript:alert(1)//evil',
    '/\t/evil.example',
    '/\n/evil.example',
    '',
    'evil',
    '/./\\evil.example',
    '/%0d%0aset-cookie:evil=1"><script>',
    '/..//evil.example',
    '/login?next=/evil',
    '/logout/evil',
    `/${'evil'.repeat(1000)}`,
    '/é-evil',
    '/evil#x',
    '/ evil',
    '/"evil',
  ])
    assert.equal(await target(bad), '/account', bad)
})

test('no text that a form carries comes back as markup, and no password comes back at all', { timeout }, async (t) => {
  const { app } = await signedIn(t)
  const mark = 'zq9x'
  const text = fc
    .string({ unit: fc.constantFrom('<', '>', '"', "'", '&', '/', '`', '=', ' ', 'é', '\u202e', '\0'), maxLength: 12 })
    .map((part) => `${part}<i>${mark}${part}`)
  await fc.assert(
    fc.asyncProperty(text, text, text, async (password, code, next) => {
      const browser = new Browser(app)
      await app.operators.forgiveFailures()
      for (const answer of [
        await browser.post('/login', { password, code, next }),
        await browser.get(`/login?next=${encodeURIComponent(next)}`),
        await browser.get(`/account?done=${encodeURIComponent(next)}`),
      ])
        assert.ok(!answer.body.includes(mark), answer.body)
    }),
    { numRuns: 15 },
  )
})

test(
  'wrong passwords are told the same way with and without an owner, and after five the page says when to come again',
  { timeout },
  async (t) => {
    const { app, time } = await gateway(t)
    const browser = new Browser(app)
    const before = await browser.post('/login', { password: 'wrong' })
    await app.operators.setPassword(PASSWORD)
    const after = await browser.post('/login', { password: 'wrong' })
    assert.deepEqual([before.statusCode, problemOn(before)], [after.statusCode, problemOn(after)])
    for (let attempt = 0; attempt < 4; attempt++) await browser.post('/login', { password: 'wrong' })
    const locked = await browser.post('/login', { password: PASSWORD })
    assert.deepEqual([locked.statusCode, locked.headers['retry-after']], [429, '15'])
    assert.match(problemOn(locked), /^Too many failed attempts\. Try again in 15 s\.$/)
    time.offsetMs += 15_000
    assert.equal((await browser.post('/login', { password: PASSWORD })).statusCode, 303)
  },
)

test(
  'twenty failures an endpoint in fifteen minutes, counted before anything else; what succeeds costs nothing',
  { timeout },
  async (t) => {
    const { app } = await signedIn(t)
    const browser = new Browser(app, { address: '127.0.0.9' })
    for (let login = 0; login < 25; login++) {
      browser.cookies.clear()
      assert.equal((await browser.post('/login', { password: PASSWORD })).statusCode, 303)
      assert.equal((await browser.get('/login')).statusCode, 303)
    }
    browser.cookies.clear()
    for (let attempt = 0; attempt < 20; attempt++)
      assert.ok([401, 429].includes((await browser.post('/login', { password: 'wrong' })).statusCode))
    await app.operators.forgiveFailures()
    const spent = await browser.post('/login', { password: PASSWORD })
    assert.equal(spent.statusCode, 429)
    assert.ok(Number(spent.headers['retry-after']) > 800)
    assert.match(String(spent.headers['content-type']), /^text\/html/)
    assert.equal(
      (await browser.post('/login', { password: PASSWORD }, { origin: 'https://evil.example' })).statusCode,
      403,
      'the boundary comes before',
    )
    assert.equal((await browser.get('/login')).statusCode, 200, 'another endpoint has its own')
    assert.equal(
      (await new Browser(app, { address: '127.0.0.8' }).post('/login', { password: PASSWORD })).statusCode,
      303,
    )
  },
)

test(
  'a browser where the owner signed in before is let in while its address is locked and spent',
  { timeout },
  async (t) => {
    const { app, browser } = await signedIn(t)
    await browser.post('/logout')
    const stranger = new Browser(app)
    for (let attempt = 0; attempt < 25; attempt++) await stranger.post('/login', { password: 'wrong' })
    assert.equal((await stranger.post('/login', { password: PASSWORD })).statusCode, 429)
    assert.equal((await browser.post('/login', { password: PASSWORD })).statusCode, 303)
  },
)

test(
  'pages read forms and nothing else, of a bounded size and with the fields they know once',
  { timeout },
  async (t) => {
    const { app, browser } = await signedIn(t)
    await browser.post('/logout')
    const post = async (payload: string, type: string): Promise<number> => {
      const headers = { host: browser.host, origin: `http://${browser.host}`, 'content-type': type }
      const answer = await app.inject({ method: 'POST', url: '/login', headers, payload, remoteAddress: '127.0.0.7' })
      assert.match(String(answer.headers['content-type']), /^text\/html/)
      assert.doesNotMatch(answer.body, /sentinel/)
      return answer.statusCode
    }
    const form = 'application/x-www-form-urlencoded'
    assert.equal(await post(JSON.stringify({ password: PASSWORD }), 'application/json'), 415)
    assert.equal(await post(PASSWORD, 'text/plain'), 415)
    assert.equal(await post(`password=${'sentinel'.repeat(8000)}`, form), 413)
    assert.equal(await post('password=sentinel&password=sentinel', form), 400)
    assert.equal(await post('', form), 400)
    assert.equal(await post('__proto__=sentinel&constructor=sentinel&password=sentinel', form), 401)
  },
)
