// Who is answered at all: Origin, target, exposure, and the headers that every answer carries.
import assert from 'node:assert/strict'
import { request } from 'node:http'
import { test } from 'node:test'
import { SECURITY_HEADERS } from '../../../plugins/armour/headers.ts'
import { armouredApp } from '../armoured-app.ts'

import { exchangeBytes } from '../../fixtures/raw-exchange.ts'

const timeout = 20_000

test(
  'a request without a Host, and bytes that are no request, are refused with the same headers',
  { timeout },
  async (t) => {
    const { app } = await armouredApp(t)
    await app.listen({ host: '127.0.0.1', port: 0 })
    const { port } = new URL(app.listeningOrigin)
    const answers = [
      await exchangeBytes(port, ['GET /open HTTP/1.0']),
      await exchangeBytes(port, ['this is no http']),
      await exchangeBytes(port, ['GET /open HTTP/1.1', `Host: localhost`, `X-Long: ${'x'.repeat(20_000)}`]),
    ]
    assert.deepEqual(
      answers.map((answer) => answer.split(' ')[1]),
      ['400', '400', '431'],
    )
    for (const answer of answers)
      for (const [name, value] of SECURITY_HEADERS) assert.ok(answer.includes(`${name}: ${value}\r\n`), name)
  },
)

test('every answer carries the same frozen list of security headers', { timeout }, async (t) => {
  const { app, token } = await armouredApp(t)
  assert.ok(Object.isFrozen(SECURITY_HEADERS) && SECURITY_HEADERS.every((pair) => Object.isFrozen(pair)))
  const bearer = { authorization: `Bearer ${token}` }
  const answers = [
    await app.inject('/open'),
    await app.inject('/nothing'),
    await app.inject('/broken'),
    await app.inject('/whoami'),
    await app.inject({ url: '/whoami', headers: bearer }),
    await app.inject({ url: '/open', headers: { host: 'evil.example' } }),
    await app.inject({ url: '/open', headers: { origin: 'http://evil.example' } }),
    await app.inject({
      method: 'POST',
      url: '/mcp',
      headers: { ...bearer, 'content-type': 'application/json' },
      payload: '{',
    }),
    await app.inject({
      method: 'POST',
      url: '/mcp',
      headers: { ...bearer, 'content-type': 'text/plain' },
      payload: 'x',
    }),
    await app.inject('/%zz'),
    await app.inject(`/${'x'.repeat(5000)}`),
    await app.inject({
      method: 'OPTIONS',
      url: '/mcp',
      headers: { origin: 'http://localhost:1', 'access-control-request-method': 'POST' },
    }),
  ]
  assert.deepEqual(
    answers.map(({ statusCode }) => statusCode),
    [200, 404, 500, 401, 200, 403, 403, 400, 415, 400, 404, 204],
  )
  for (const { headers, statusCode } of answers) {
    for (const [name, value] of SECURITY_HEADERS) assert.equal(headers[name], value, `${name} on ${statusCode}`)
    assert.equal(headers['strict-transport-security'], undefined)
  }
})

test('browsers are told to stay on https only where the public address is https', { timeout }, async (t) => {
  const { app } = await armouredApp(t, { CROW_GATEWAY_URL: 'https://crow.example' })
  assert.equal((await app.inject('/open')).headers['strict-transport-security'], 'max-age=31536000')
})

test('a present but foreign Origin is refused before anything else happens', { timeout }, async (t) => {
  const { app, token } = await armouredApp(t, {
    CROW_GATEWAY_URL: 'https://crow.example',
    CORS_ALLOWED_ORIGINS: 'https://app.example',
  })
  const evil = [
    'http://evil.example',
    'null',
    '',
    'http://localhost.evil.example',
    'http://localhost:3001.evil.example',
    'http://127.0.0.1@evil.example',
    'http://127.0.0.1:3001, http://evil.example',
    'https://crow.example.evil.example',
    'http://crow.example',
    'https://app.example:444',
    'https://app.example/',
    'ftp://localhost',
    'http://localhost:port',
  ]
  for (const origin of evil) {
    for (const method of ['GET', 'POST', 'OPTIONS'] as const) {
      const headers = { origin, authorization: `Bearer ${token}`, 'access-control-request-method': 'POST' }
      const answer = await app.inject({ method, url: method === 'GET' ? '/whoami' : '/mcp', headers })
      assert.equal(answer.statusCode, 403, `${method} from ${origin}`)
      assert.equal(answer.headers['access-control-allow-origin'], undefined)
    }
  }
  for (const origin of [
    'http://localhost:6274',
    'http://127.0.0.1',
    'https://[::1]:9',
    'https://crow.example',
    'https://app.example',
  ]) {
    assert.equal((await app.inject({ url: '/open', headers: { origin } })).statusCode, 200, origin)
  }
})

test('two Origin headers are one foreign origin', { timeout }, async (t) => {
  const { app } = await armouredApp(t)
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = new URL(app.listeningOrigin)
  const answer = await exchangeBytes(port, [
    'GET /open HTTP/1.1',
    `Host: 127.0.0.1:${port}`,
    'Origin: http://localhost:1',
    'Origin: http://evil.example',
    'Connection: close',
  ])
  assert.match(answer, /^HTTP\/1\.1 403 /)
})

test('a loopback page may not call a gateway that other machines can reach', { timeout }, async (t) => {
  const { app } = await armouredApp(t, { CROW_GATEWAY_BIND: '0.0.0.0', CROW_GATEWAY_URL: 'http://192.168.7.1:3001' })
  assert.equal((await app.inject({ url: '/open', headers: { origin: 'http://localhost:5173' } })).statusCode, 403)
})

test('a request target that is a whole URL is refused', { timeout }, async (t) => {
  const { app } = await armouredApp(t)
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = new URL(app.listeningOrigin)
  const status = await new Promise<number | undefined>((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, path: 'http://evil.example/open' }, (answer) => {
      answer.resume()
      resolve(answer.statusCode)
    })
    sent.on('error', reject).end()
  })
  assert.equal(status, 400)
})

test('traffic from a public tunnel reaches only what is meant for the public', { timeout }, async (t) => {
  const { app, token } = await armouredApp(t)
  for (const mark of ['tailscale-funnel-request', 'cf-connecting-ip']) {
    const headers = { [mark]: '1', authorization: `Bearer ${token}` }
    assert.equal((await app.inject({ url: '/open', headers })).statusCode, 200)
    for (const url of ['/whoami', '/nothing']) {
      const answer = await app.inject({ url, headers })
      assert.deepEqual([answer.statusCode, answer.json().code], [403, 'NOT_EXPOSED'], url)
    }
  }
})

test(
  'a public address in the configuration exposes the mounts of callers, not unknown paths',
  { timeout },
  async (t) => {
    const { app, token } = await armouredApp(t, { CROW_GATEWAY_URL: 'https://crow.example' })
    const headers = { host: 'crow.example', 'tailscale-funnel-request': '?1', authorization: `Bearer ${token}` }
    assert.equal((await app.inject({ url: '/whoami', headers })).statusCode, 200)
    assert.equal((await app.inject({ url: '/nothing', headers })).statusCode, 403)
  },
)

test(
  'on an open bind, an address of the public internet counts as exposed and a private one does not',
  { timeout },
  async (t) => {
    const { app, token } = await armouredApp(t, {
      CROW_GATEWAY_BIND: '0.0.0.0',
      CROW_GATEWAY_URL: 'http://192.168.7.1:3001',
    })
    const headers = { authorization: `Bearer ${token}` }
    const statusFrom = async (remoteAddress: string) =>
      (await app.inject({ url: '/whoami', headers, remoteAddress })).statusCode
    for (const home of [
      '127.0.0.1',
      '192.168.1.9',
      '10.1.2.3',
      '172.20.0.1',
      '100.101.1.1',
      '169.254.1.1',
      '::1',
      'fd00::9',
      'fe80::1',
      '::ffff:192.168.1.9',
    ]) {
      assert.equal(await statusFrom(home), 200, home)
    }
    for (const outside of ['203.0.113.7', '172.32.0.1', '2001:db8::1', '::ffff:203.0.113.7', '100.128.0.1']) {
      assert.equal(await statusFrom(outside), 403, outside)
    }
  },
)
