// The door for AI clients: who gets in, who is refused with which challenge, and who is counted.
import assert from 'node:assert/strict'
import { Agent, request } from 'node:http'
import { test } from 'node:test'
import { armouredApp, type ArmouredApp } from '../armoured-app.ts'

const timeout = 60_000
const get = ({ app }: ArmouredApp, authorization?: string, remoteAddress = '127.0.0.1') =>
  app.inject({ url: '/whoami', remoteAddress, headers: authorization === undefined ? {} : { authorization } })

test('a live token gets in, whatever the case of the scheme', { timeout }, async (t) => {
  const built = await armouredApp(t)
  for (const scheme of ['Bearer', 'bearer', 'BEARER']) {
    const answer = await get(built, `${scheme} ${built.token}`)
    assert.deepEqual([answer.statusCode, answer.json().id], [200, 'local:1'])
  }
})

test(
  'without credentials the challenge names no error; with bad ones it says invalid_token',
  { timeout },
  async (t) => {
    const built = await armouredApp(t)
    for (const authorization of [undefined, 'Basic dXNlcjpwYXNz']) {
      const answer = await get(built, authorization)
      assert.deepEqual([answer.statusCode, answer.json().code], [401, 'TOKEN_REQUIRED'])
      assert.equal(answer.headers['www-authenticate'], 'Bearer realm="crow"')
    }
    for (const authorization of ['Bearer', 'Bearer x', `Bearer ${built.token}x`, `Bearer ${built.token} y`]) {
      const answer = await get(built, authorization)
      assert.deepEqual([answer.statusCode, answer.json().code], [401, 'TOKEN_INVALID'])
      assert.equal(answer.headers['www-authenticate'], 'Bearer realm="crow", error="invalid_token"')
    }
  },
)

test('a token in the query or in a body opens nothing', { timeout }, async (t) => {
  const { app, token } = await armouredApp(t)
  assert.equal((await app.inject(`/whoami?access_token=${token}`)).statusCode, 401)
  const payload = { access_token: token }
  assert.equal((await app.inject({ method: 'POST', url: '/mcp', payload })).statusCode, 401)
})

test(
  'a token revoked in this process is refused at once, an expired one on its millisecond',
  { timeout },
  async (t) => {
    const built = await armouredApp(t)
    const short = await built.app.tokens.create({ name: 'short', expiresAt: built.time.now + 1000 })
    assert.equal((await get(built, `Bearer ${short.secret}`)).statusCode, 200)
    built.time.now += 999
    assert.equal((await get(built, `Bearer ${short.secret}`)).statusCode, 200)
    built.time.now += 1
    assert.equal((await get(built, `Bearer ${short.secret}`)).statusCode, 401)
    assert.equal((await get(built, `Bearer ${built.token}`)).statusCode, 200)
    await built.app.tokens.revoke('test')
    assert.equal((await get(built, `Bearer ${built.token}`)).statusCode, 401)
  },
)

test('refused requests leave their body unread', { timeout }, async (t) => {
  const { app } = await armouredApp(t)
  const answer = await app.inject({
    method: 'POST',
    url: '/mcp',
    headers: { 'content-type': 'application/json' },
    payload: '{not json',
  })
  assert.equal(answer.statusCode, 401)
})

test('the 201st anonymous request of an address is turned away, and told when to come back', { timeout }, async (t) => {
  const built = await armouredApp(t)
  for (let index = 0; index < 200; index++) assert.equal((await get(built)).statusCode, 401)
  const answer = await get(built)
  assert.deepEqual([answer.statusCode, answer.json().code], [429, 'LIMITED'])
  assert.equal(answer.headers['retry-after'], '900')
  assert.equal((await get(built, undefined, '127.0.0.2')).statusCode, 401)
  built.time.now += 900_000
  assert.equal((await get(built)).statusCode, 401)
})

test('ten thousand calls with a good token pass', { timeout }, async (t) => {
  const built = await armouredApp(t)
  const authorization = `Bearer ${built.token}`
  for (let batch = 0; batch < 100; batch++) {
    const answers = await Promise.all(Array.from({ length: 100 }, () => get(built, authorization)))
    for (const { statusCode } of answers) assert.equal(statusCode, 200)
  }
})

test('a flood of bad tokens does not stop the verified client at the same address', { timeout }, async (t) => {
  const built = await armouredApp(t)
  const authorization = `Bearer ${built.token}`
  assert.equal((await get(built, authorization)).statusCode, 200)
  const seen = new Map<number, number>()
  for (let index = 0; index < 1000; index++) {
    const { statusCode } = await get(built, `Bearer crow_local_${String(index).padStart(43, 'a')}`)
    seen.set(statusCode, (seen.get(statusCode) ?? 0) + 1)
    if (index % 100 === 0) assert.equal((await get(built, authorization)).statusCode, 200)
  }
  assert.deepEqual(
    [...seen],
    [
      [401, 200],
      [429, 800],
    ],
  )
  assert.equal((await get(built, authorization)).statusCode, 200)
})

test(
  'nor does it once every token has to be looked up again, as after a write of another process',
  { timeout },
  async (t) => {
    const built = await armouredApp(t, { CROW_LIMIT_STRANGER: '3' })
    const { tokens } = built.app
    const other = await tokens.create({ name: 'other' })
    const bearers = [`Bearer ${built.token}`, `Bearer ${other.secret}`]
    for (const bearer of bearers) assert.equal((await get(built, bearer)).statusCode, 200)
    for (let index = 0; index < 4; index++) await get(built)
    for (let round = 0; round < 3; round++) tokens.verified.clear()
    for (const bearer of bearers) assert.equal((await get(built, bearer)).statusCode, 200)
    // Revoked meanwhile: looked up once, refused, and from then on a stranger like any other.
    await tokens.revoke('other')
    const statuses = [await get(built, bearers[1]), await get(built, bearers[1]), await get(built, bearers[0])]
    assert.deepEqual(
      statuses.map(({ statusCode }) => statusCode),
      [401, 429, 200],
    )
  },
)

test('an address that is spent is refused before a token is looked up, so a new one waits', { timeout }, async (t) => {
  const built = await armouredApp(t, { CROW_LIMIT_STRANGER: '3' })
  for (let index = 0; index < 3; index++) await get(built)
  assert.equal((await get(built, `Bearer ${built.token}`)).statusCode, 429)
  assert.equal((await get(built, `Bearer ${built.token}`, '127.0.0.2')).statusCode, 200)
})

test('a made-up X-Forwarded-For mints no new budget', { timeout }, async (t) => {
  const { app } = await armouredApp(t, { CROW_LIMIT_STRANGER: '20' })
  const statuses: number[] = []
  for (let index = 0; index < 25; index++) {
    const headers = { 'x-forwarded-for': `203.0.113.${index}`, forwarded: `for=203.0.113.${index}` }
    statuses.push((await app.inject({ url: '/whoami', headers })).statusCode)
  }
  assert.deepEqual(statuses, [...Array(20).fill(401), ...Array(5).fill(429)])
})

test(
  'behind a trusted proxy the address it appended counts, not the ones the client invented',
  { timeout },
  async (t) => {
    const { app } = await armouredApp(t, {
      CROW_LIMIT_STRANGER: '20',
      CROW_TRUSTED_PROXIES: '127.0.0.1',
      CROW_GATEWAY_URL: 'https://crow.example',
    })
    const ask = async (appended: string, invented: string) =>
      (await app.inject({ url: '/whoami', headers: { 'x-forwarded-for': `${invented}, ${appended}` } })).statusCode
    const statuses: number[] = []
    for (let index = 0; index < 25; index++) statuses.push(await ask('203.0.113.1', `198.51.100.${index}`))
    assert.deepEqual(statuses, [...Array(20).fill(401), ...Array(5).fill(429)])
    assert.equal(await ask('203.0.113.9', '203.0.113.1'), 401)
  },
)

test('a proxy that writes the port as well gives a client no new budget per connection', { timeout }, async (t) => {
  const { app } = await armouredApp(t, {
    CROW_LIMIT_STRANGER: '2',
    CROW_TRUSTED_PROXIES: '127.0.0.1',
    CROW_GATEWAY_URL: 'https://crow.example',
  })
  const statuses: number[] = []
  for (const hop of [
    '203.0.113.1:1',
    '203.0.113.1:2',
    '203.0.113.1',
    '[2001:db8::1]:1',
    '[2001:db8::2]:2',
    '2001:db8::3',
  ])
    statuses.push((await app.inject({ url: '/whoami', headers: { 'x-forwarded-for': hop } })).statusCode)
  assert.deepEqual(statuses, [401, 401, 429, 401, 401, 429])
})

test('neighbours in one IPv6 /64 share a budget', { timeout }, async (t) => {
  const built = await armouredApp(t, { CROW_LIMIT_STRANGER: '2' })
  const statuses: number[] = []
  for (const address of ['2001:db8::1', '2001:db8::2', '2001:db8::3', '2001:db8:0:1::1'])
    statuses.push((await get(built, undefined, address)).statusCode)
  assert.deepEqual(statuses, [401, 401, 429, 401])
})

test('a caller has a budget of its own, counted whatever the address', { timeout }, async (t) => {
  const built = await armouredApp(t, { CROW_LIMIT_PRINCIPAL: '1' })
  const other = await built.app.tokens.create({ name: 'other' })
  const statuses: number[] = []
  for (let index = 0; index < 17; index++)
    statuses.push((await get(built, `Bearer ${built.token}`, `127.0.0.${index + 1}`)).statusCode)
  assert.deepEqual(statuses, [...Array(15).fill(200), 429, 429])
  assert.equal((await get(built, `Bearer ${other.secret}`)).statusCode, 200)
})

test('unknown paths and failures at a door draw on the same budget of strangers', { timeout }, async (t) => {
  const { app } = await armouredApp(t, { CROW_LIMIT_STRANGER: '3' })
  const statuses: number[] = []
  for (const url of ['/nothing', '/whoami', '/nothing', '/whoami', '/nothing'])
    statuses.push((await app.inject(url)).statusCode)
  assert.deepEqual(statuses, [404, 401, 404, 429, 429])
})

test(
  'reads of an open room have a budget of their own and lock out no token of that address',
  { timeout },
  async (t) => {
    const built = await armouredApp(t, { CROW_LIMIT_STRANGER: '3' })
    const opened: number[] = []
    for (let index = 0; index < 5; index++) opened.push((await built.app.inject('/open')).statusCode)
    assert.deepEqual(opened, [200, 200, 200, 429, 429])
    assert.equal((await built.app.inject('/whoami')).statusCode, 401)
    assert.equal((await get(built, `Bearer ${built.token}`)).statusCode, 200)
  },
)

test('a body sent to nowhere is not read', { timeout }, async (t) => {
  const { app } = await armouredApp(t)
  const answer = await app.inject({
    method: 'POST',
    url: '/nothing',
    headers: { 'content-type': 'application/json' },
    payload: '{not json',
  })
  assert.equal(answer.statusCode, 404)
})

test('without tokens every local program is the owner, and still has a budget', { timeout }, async (t) => {
  const { app } = await armouredApp(t, { CROW_NO_AUTH: '1', CROW_LIMIT_PRINCIPAL: '1' })
  const answers = []
  for (let index = 0; index < 16; index++) answers.push(await app.inject('/whoami'))
  assert.deepEqual(answers[0]?.json(), { id: 'loopback' })
  assert.equal(answers[15]?.statusCode, 429)
})

test('one connection may carry several callers, and a revoked one is out on it at once', { timeout }, async (t) => {
  const { app, token } = await armouredApp(t)
  const other = await app.tokens.create({ name: 'other' })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const address = app.server.address()
  assert.ok(address !== null && typeof address === 'object')
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  t.after(() => agent.destroy())
  const status = (secret: string, headers: Record<string, string> = {}): Promise<number | undefined> =>
    new Promise((resolve, reject) => {
      const options = {
        agent,
        port: address.port,
        path: '/whoami',
        headers: { authorization: `Bearer ${secret}`, ...headers },
      }
      const asked = request(options, (answer) => answer.resume().on('end', () => resolve(answer.statusCode)))
      asked.on('error', reject).end()
    })
  const shared = { 'x-forwarded-for': '203.0.113.7' }
  const seen = [await status(token), await status(token), await status(`${token}x`), await status(other.secret)]
  assert.deepEqual([...seen, await status(token, shared)], [200, 200, 401, 200, 200])
  await app.tokens.revoke('test')
  assert.deepEqual([await status(token), await status(token, shared), await status(other.secret)], [401, 401, 200])
})
