// Which doors the public internet may knock at, and how a gateway behind a proxy that nobody told it of notices the public.
import assert from 'node:assert/strict'
import fp from 'fastify-plugin'
import { test, type TestContext } from 'node:test'
import { behind, type Door } from '../../../plugins/doors/behind.ts'
import { armouredApp, inOrder } from '../armoured-app.ts'

const timeout = 20_000
const PUBLIC = { CROW_GATEWAY_URL: 'https://crow.example' }
const here = { host: '127.0.0.1:3001' }

/** Stands where the owner's door stands; asks nobody, so that only the exposure decides. */
const operator: Door = {
  name: 'operator',
  limit: '',
  plugin: fp((_app, _options, done) => done(), { name: 'doors/operator' }),
}

async function ask(t: TestContext, env: Record<string, string>) {
  const { app } = await armouredApp(t, env, async (instance, config) => {
    await inOrder(instance, config)
    await instance.register(
      behind(operator, async (scope) => void scope.get('/account', { config: { answers: 'text' } }, () => 'owner')),
    )
  })
  return async (url: string, headers: Record<string, string>): Promise<number> =>
    (await app.inject({ method: 'GET', url, headers })).statusCode
}

test('the owner’s pages are dark to the public, however it comes in, and open at home', { timeout }, async (t) => {
  const status = await ask(t, PUBLIC)
  assert.equal(await status('/account', here), 200)
  for (const headers of [
    { host: 'crow.example' },
    { host: 'CROW.example:443' },
    { ...here, 'x-forwarded-for': '203.0.113.9' },
    { ...here, forwarded: 'for=203.0.113.9' },
    { ...here, 'x-real-ip': '203.0.113.9' },
    { ...here, 'x-forwarded-host': 'crow.example' },
    { ...here, 'x-forwarded-proto': 'https' },
    { ...here, via: '1.1 proxy' },
    { ...here, 'tailscale-funnel-request': '?1' },
  ]) {
    assert.equal(await status('/account', headers), 403, JSON.stringify(headers))
    assert.equal(await status('/open', headers), 200, JSON.stringify(headers))
    assert.equal(await status('/whoami', headers), 401, JSON.stringify(headers))
  }
})

test('CROW_DASHBOARD_PUBLIC opens the owner’s pages, with a public address only', { timeout }, async (t) => {
  const open = await ask(t, { ...PUBLIC, CROW_DASHBOARD_PUBLIC: '1' })
  assert.equal(await open('/account', { host: 'crow.example' }), 200)
  const alone = await ask(t, { CROW_DASHBOARD_PUBLIC: '1' })
  assert.equal(await alone('/account', { ...here, 'tailscale-funnel-request': '?1' }), 403)
})

test('a public address of this machine or of home makes nothing public', { timeout }, async (t) => {
  for (const url of ['http://127.0.0.1:8080', 'http://192.168.1.5:3001', 'http://localhost:3001']) {
    const status = await ask(t, { CROW_GATEWAY_URL: url, CROW_DASHBOARD_PUBLIC: '1' })
    assert.equal(await status('/account', { ...here, 'tailscale-funnel-request': '?1' }), 403, url)
    assert.equal(await status('/account', here), 200, url)
  }
})

test('behind a proxy that is configured, the address it saw decides', { timeout }, async (t) => {
  const status = await ask(t, { ...PUBLIC, CROW_TRUSTED_PROXIES: '127.0.0.1' })
  assert.equal(await status('/account', { host: 'crow.example', 'x-forwarded-for': '203.0.113.9' }), 403)
  assert.equal(await status('/account', { host: 'crow.example', 'x-forwarded-for': '192.168.1.7' }), 200)
})

test('a proxy that is configured and does not say for whom it asks may ask for anybody', { timeout }, async (t) => {
  for (const proxies of ['127.0.0.1', '10.0.0.0/8, 127.0.0.0/24', '::1, ::ffff:127.0.0.1, 127.0.0.1']) {
    const status = await ask(t, { ...PUBLIC, CROW_TRUSTED_PROXIES: proxies })
    assert.equal(await status('/account', { host: 'crow.example' }), 403, proxies)
    assert.equal(await status('/account', here), 200, 'the owner, without the proxy')
  }
  const direct = await ask(t, { ...PUBLIC, CROW_TRUSTED_PROXIES: '10.0.0.1' })
  assert.equal(await direct('/account', { host: 'crow.example' }), 200, 'from home, by that name')
})

test('without tokens nothing that a proxy brings gets in, however local it looks', { timeout }, async (t) => {
  for (const env of [{}, { CROW_TRUSTED_PROXIES: '127.0.0.1' }]) {
    const status = await ask(t, { CROW_NO_AUTH: '1', ...env })
    assert.equal(await status('/whoami', here), 200)
    for (const mark of ['x-forwarded-for', 'forwarded', 'x-real-ip', 'x-forwarded-proto', 'via', 'cf-connecting-ip'])
      assert.equal(await status('/whoami', { ...here, [mark]: '127.0.0.1' }), 403, mark)
  }
})

test(
  'without tokens a page of another site gets nothing, also where its browser sends no Origin',
  { timeout },
  async (t) => {
    const status = await ask(t, { CROW_NO_AUTH: '1' })
    assert.equal(await status('/whoami', { ...here, 'sec-fetch-site': 'cross-site' }), 403)
    assert.equal(await status('/whoami', { ...here, 'sec-fetch-site': 'none' }), 200)
    const origin = 'http://localhost:5173'
    assert.equal(await status('/whoami', { ...here, 'sec-fetch-site': 'cross-site', origin }), 200)
  },
)

test(
  'bound to every address, a proxy at home that nobody told of brings the public all the same',
  { timeout },
  async (t) => {
    const everywhere = { ...PUBLIC, CROW_GATEWAY_BIND: '0.0.0.0' }
    for (const env of [everywhere, { ...everywhere, CROW_TRUSTED_PROXIES: '10.1.0.0/16, fd00::7' }]) {
      const status = await ask(t, env)
      assert.equal(await status('/account', here), 200)
      for (const mark of ['x-forwarded-for', 'forwarded', 'x-real-ip', 'via']) {
        assert.equal(await status('/account', { ...here, [mark]: '192.168.1.7' }), 403, mark)
        assert.equal(await status('/whoami', { ...here, [mark]: '192.168.1.7' }), 401, mark)
      }
    }
  },
)

test('a configured proxy that does not say whom it brings brings the public', { timeout }, async (t) => {
  const status = await ask(t, { ...PUBLIC, CROW_TRUSTED_PROXIES: '127.0.0.1' })
  assert.equal(await status('/account', here), 200)
  assert.equal(await status('/account', { ...here, forwarded: 'for=192.168.1.7' }), 403)
  const home = { ...here, 'x-forwarded-for': '192.168.1.7', 'x-forwarded-proto': 'https', via: '1.1 proxy' }
  assert.equal(await status('/account', home), 200)
})
