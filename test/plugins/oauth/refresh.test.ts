// Refreshing: by many at once, by a thief, for something else, and what is given back.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Browser } from './browser.ts'
import {
  begin,
  call,
  codeIn,
  connect,
  connected,
  newClient,
  post,
  redeem,
  refresh,
  textOf,
  type JsonAnswer,
} from './client.ts'
import { oauthApp, type OAuthApp } from './oauth-app.ts'

const timeout = 60_000

test('five programs that refresh one token at once get one and the same successor', { timeout }, async (t) => {
  const app = await oauthApp(t)
  const { clientId, refresh: old } = await connected(app)
  const answers = await Promise.all(Array.from({ length: 5 }, () => refresh(app, clientId, old)))
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 200, 200, 200, 200],
  )
  assert.equal(new Set(answers.map(({ body }) => JSON.stringify(body))).size, 1)
  const [winner] = answers
  assert.ok(winner)
  assert.equal((await call(app, '/memory/mcp', textOf(winner, 'access_token'))).status, 200)
  const late = await refresh(app, clientId, old)
  assert.deepEqual(late.body, winner.body)
  const next = await refresh(app, clientId, textOf(winner, 'refresh_token'))
  assert.equal(next.status, 200)
})

test('after the window the old token is a stolen one: the family ends, and the log says so', { timeout }, async (t) => {
  const app = await oauthApp(t)
  const { clientId, refresh: old } = await connected(app)
  const winner = await refresh(app, clientId, old)
  app.time.offsetMs += 10_000
  await familyEnds(app, clientId, old, winner)
})

test('within the window too, once the successor was used by somebody', { timeout }, async (t) => {
  const app = await oauthApp(t)
  const { clientId, refresh: old } = await connected(app)
  const winner = await refresh(app, clientId, old)
  const next = await refresh(app, clientId, textOf(winner, 'refresh_token'))
  assert.equal(next.status, 200)
  await familyEnds(app, clientId, old, next)
})

async function familyEnds(app: OAuthApp, clientId: string, old: string, winner: JsonAnswer): Promise<void> {
  const access = textOf(winner, 'access_token')
  assert.equal((await call(app, '/memory/mcp', access)).status, 200)
  const stolen = await refresh(app, clientId, old)
  assert.equal(stolen.status, 400)
  assert.equal(stolen.body['error'], 'invalid_grant')
  assert.equal((await call(app, '/memory/mcp', access)).status, 401)
  assert.equal((await refresh(app, clientId, textOf(winner, 'refresh_token'))).body['error'], 'invalid_grant')
  assert.ok(app.lines.some((line) => line.includes('was used twice')))
  assert.deepEqual(app.app.authorizations.list(), [])
}

test('another form, another client or another header is another refresh', { timeout }, async (t) => {
  const app = await oauthApp(t)
  const { clientId, refresh: old } = await connected(app)
  const other = await newClient(app)
  assert.equal((await refresh(app, clientId, old)).status, 200)
  assert.equal((await refresh(app, other, old)).body['error'], 'invalid_grant')
  const header = { authorization: `Basic ${Buffer.from(`${clientId}:x`).toString('base64')}` }
  const form = { grant_type: 'refresh_token', refresh_token: old, client_id: clientId }
  assert.equal((await post(app, '/token', form, header)).status, 401)
})

test(
  'a wrong resource costs nothing: the right one is answered with the same code or token',
  { timeout },
  async (t) => {
    const app = await oauthApp(t)
    const clientId = await newClient(app)
    const right = `${app.origin}/memory/mcp`
    const wrong = [`${app.origin}/storage/mcp`, 'https://elsewhere.example/']
    const { url, verifier } = begin(app, clientId, { resource: right })
    const code = codeIn(await new Browser(app.origin).authorize(url))
    for (const resource of wrong) {
      const refused = await redeem(app, { code, verifier, clientId, exchange: { resource } })
      assert.equal(refused.body['error'], 'invalid_target')
    }
    const first = await redeem(app, { code, verifier, clientId, exchange: { resource: right } })
    assert.equal(first.status, 200, JSON.stringify(first.body))
    const token = textOf(first, 'refresh_token')
    for (const resource of wrong)
      assert.equal((await refresh(app, clientId, token, { resource })).body['error'], 'invalid_target')
    const kept = app.app.database.sqlite
      .prepare("select count(*) from oauth_tokens where model = 'RefreshToken'")
      .pluck()
    assert.equal(kept.get(), 1, 'nothing is left of what was given to nobody')
    const second = await refresh(app, clientId, token, { resource: right })
    assert.equal(second.status, 200, JSON.stringify(second.body))
  },
)

test('what was revoked within the window is not answered again', { timeout }, async (t) => {
  const app = await oauthApp(t)
  const { clientId, refresh: old } = await connected(app)
  const winner = await refresh(app, clientId, old)
  assert.equal((await refresh(app, clientId, old)).status, 200)
  const [authorization] = app.app.authorizations.list()
  await app.app.authorizations.revoke(authorization?.id ?? 0)
  const late = await refresh(app, clientId, old)
  assert.equal(late.body['error'], 'invalid_grant')
  assert.equal((await refresh(app, clientId, textOf(winner, 'refresh_token'))).body['error'], 'invalid_grant')
})

test('another process, or another aim, is refused for a moment and ends nothing', { timeout }, async (t) => {
  const app = await oauthApp(t)
  const clientId = await newClient(app)
  const at = { resource: `${app.origin}/memory/mcp` }
  const { refresh: old } = await connect(app, clientId, { at })
  const beside = await oauthApp(t, { dataDir: app.dataDir, env: { CROW_GATEWAY_URL: app.origin } })
  const winner = await refresh(app, clientId, old)
  const access = textOf(winner, 'access_token')
  for (const loser of [
    await refresh(beside, clientId, old),
    await refresh(app, clientId, old, { scope: 'memory:read' }),
  ]) {
    assert.deepEqual([loser.status, loser.body['error']], [400, 'invalid_grant'])
    assert.equal((await call(app, '/memory/mcp', access)).status, 200)
  }
  const next = await refresh(beside, clientId, textOf(winner, 'refresh_token'))
  assert.equal(next.status, 200, JSON.stringify(next.body))
  assert.equal((await refresh(beside, clientId, old)).body['error'], 'invalid_grant')
  assert.equal((await refresh(app, clientId, textOf(next, 'refresh_token'))).body['error'], 'invalid_grant', 'reused')
})

test('a replay on one device logs out no other', { timeout }, async (t) => {
  const app = await oauthApp(t)
  const clientId = await newClient(app)
  const phone = await connect(app, clientId)
  const desk = await connect(app, clientId, { browser: phone.browser })
  assert.equal(app.app.authorizations.list().length, 2)
  await refresh(app, clientId, phone.refresh)
  app.time.offsetMs += 11_000
  assert.equal((await refresh(app, clientId, phone.refresh)).status, 400)
  assert.equal((await call(app, '/memory/mcp', phone.access)).status, 401)
  assert.equal((await call(app, '/memory/mcp', desk.access)).status, 200)
  assert.equal((await refresh(app, clientId, desk.refresh)).status, 200)
})

test('a refresh never widens, and may narrow', { timeout }, async (t) => {
  const app = await oauthApp(t)
  const clientId = await newClient(app)
  const { refresh: token } = await connect(app, clientId, { tick: () => ['memory', 'memory:read'] })
  assert.equal((await refresh(app, clientId, token, { scope: 'memory storage' })).body['error'], 'invalid_scope')
  const narrowed = await refresh(app, clientId, token, { scope: 'memory:read' })
  assert.equal(narrowed.body['scope'], 'memory:read')
  const again = await refresh(app, clientId, textOf(narrowed, 'refresh_token'))
  assert.equal(again.body['scope'], 'memory memory:read')
})

test(
  'of two processes that refresh one token at once, one answers and the other ends nothing',
  { timeout },
  async (t) => {
    const app = await oauthApp(t)
    const clientId = await newClient(app)
    let { refresh: token } = await connect(app, clientId)
    const beside = await oauthApp(t, { dataDir: app.dataDir, env: { CROW_GATEWAY_URL: app.origin } })
    for (let round = 0; round < 5; round++) {
      const answers = await Promise.all([app, beside, app, beside].map((process) => refresh(process, clientId, token)))
      const [own, others] = [0, 1].map((process) => answers.filter((_answer, index) => index % 2 === process))
      const [winners = [], losers = []] = own?.[0]?.status === 200 ? [own, others] : [others, own]
      assert.deepEqual(
        losers.map(({ status, body }) => `${status} ${String(body['error'])}`),
        ['400 invalid_grant', '400 invalid_grant'],
      )
      const [first, second] = winners.map((winner) => textOf(winner, 'refresh_token'))
      assert.equal(first, second)
      token = first ?? ''
      app.time.offsetMs += 60_000
      beside.time.offsetMs += 60_000
    }
  },
)
