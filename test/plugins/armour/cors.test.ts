// Browser clients: the preflight passes without a token, and script may read the headers it needs.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { armouredApp } from '../armoured-app.ts'

const timeout = 20_000
const origin = 'http://localhost:6274'
const wanted = [
  'authorization',
  'content-type',
  'mcp-protocol-version',
  'mcp-session-id',
  'mcp-method',
  'mcp-name',
  'last-event-id',
]

const words = (value: unknown): string[] => String(value).toLowerCase().split(/,\s*/)

test(
  'a preflight is answered 204 without a token, for every method and header of the protocol',
  { timeout },
  async (t) => {
    const { app } = await armouredApp(t)
    for (const method of ['POST', 'GET', 'DELETE']) {
      const answer = await app.inject({
        method: 'OPTIONS',
        url: '/mcp',
        headers: {
          origin,
          'access-control-request-method': method,
          'access-control-request-headers': `${wanted.join(',')},mcp-param-city`,
        },
      })
      assert.equal(answer.statusCode, 204)
      assert.equal(answer.body, '')
      assert.equal(answer.headers['access-control-allow-origin'], origin)
      assert.deepEqual(words(answer.headers['access-control-allow-methods']).toSorted(), ['delete', 'get', 'post'])
      const allowed = words(answer.headers['access-control-allow-headers'])
      for (const name of [...wanted, 'mcp-param-city']) assert.ok(allowed.includes(name), name)
      assert.equal(answer.headers['www-authenticate'], undefined)
    }
  },
)

test('actual answers, refusals too, let script read the session id and the challenge', { timeout }, async (t) => {
  const { app, token } = await armouredApp(t)
  const call = (authorization: string) =>
    app.inject({
      method: 'POST',
      url: '/mcp',
      headers: { origin, authorization, 'content-type': 'application/json' },
      payload: '{}',
    })
  for (const answer of [await call(`Bearer ${token}`), await call('Bearer wrong')]) {
    const exposed = words(answer.headers['access-control-expose-headers'])
    assert.ok(exposed.includes('mcp-session-id') && exposed.includes('www-authenticate'))
    assert.equal(answer.headers['access-control-allow-origin'], origin)
    assert.equal(answer.headers['vary'], 'Origin')
  }
})

test(
  'no answer has a wildcard or allows credentials, and without Origin there is nothing about origins',
  { timeout },
  async (t) => {
    const { app } = await armouredApp(t)
    const cross = await app.inject({ url: '/open', headers: { origin } })
    assert.notEqual(cross.headers['access-control-allow-origin'], '*')
    assert.equal(cross.headers['access-control-allow-credentials'], undefined)
    const plain = await app.inject('/open')
    for (const name of Object.keys(plain.headers)) assert.doesNotMatch(name, /^access-control-|^vary$/)
  },
)

test('a made-up parameter header is not echoed when it is no header name', { timeout }, async (t) => {
  const { app } = await armouredApp(t)
  const answer = await app.inject({
    method: 'OPTIONS',
    url: '/mcp',
    headers: {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'x-evil, mcp-param-a b, mcp-param-ok',
    },
  })
  const allowed = words(answer.headers['access-control-allow-headers'])
  assert.ok(allowed.includes('mcp-param-ok'))
  assert.ok(!allowed.some((name) => name === 'x-evil' || name.includes(' ')))
})

test('a preflight passes for every path, also through a tunnel', { timeout }, async (t) => {
  const { app } = await armouredApp(t)
  for (const url of ['/open', '/token', '/register', '/.well-known/oauth-protected-resource']) {
    const headers = { origin, 'access-control-request-method': 'GET', 'cf-connecting-ip': '203.0.113.1' }
    assert.equal((await app.inject({ method: 'OPTIONS', url, headers })).statusCode, 204, url)
  }
})

test('an OPTIONS request that is no preflight is nothing special', { timeout }, async (t) => {
  const { app } = await armouredApp(t)
  assert.equal((await app.inject({ method: 'OPTIONS', url: '/mcp' })).statusCode, 404)
})
