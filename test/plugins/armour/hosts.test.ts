// Which names the gateway answers to.
import assert from 'node:assert/strict'
import { request } from 'node:http'
import { test } from 'node:test'
import { SECURITY_HEADERS } from '../../../plugins/armour/headers.ts'
import { armouredApp } from '../armoured-app.ts'

import { exchangeBytes } from '../../fixtures/raw-exchange.ts'

const timeout = 20_000

test('a Host header that names somebody else is refused everywhere', { timeout }, async (t) => {
  const { app, token } = await armouredApp(t)
  const evil = [
    'evil.example',
    'evil.example:3001',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    'evil.example,localhost',
    'localhost.',
    '127.1',
    '2130706433',
    '0.0.0.0',
    '[::]',
    'localhost:',
    'localhost:99999999',
  ]
  for (const host of evil) {
    for (const url of ['/open', '/mcp', '/nothing']) {
      const answer = await app.inject({
        method: url === '/mcp' ? 'POST' : 'GET',
        url,
        headers: { host, authorization: `Bearer ${token}` },
      })
      assert.equal(answer.statusCode, 403, `${host} at ${url}`)
      assert.equal(answer.json().code, 'HOST_FOREIGN')
    }
  }
})

test('a Host header that is no host is a bad request, with any spelling of one in it', { timeout }, async (t) => {
  const { app } = await armouredApp(t)
  const none = [
    'evil.example#localhost',
    'evil.example?localhost',
    'localhost@evil.example',
    'evil.example/localhost',
    'localhost\\evil.example',
    'localhost evil.example',
    'localhost, localhost',
    'http://localhost',
    'localhost:80:80',
    'localhost:http',
    '[::1',
    '::1',
    '[localhost]',
    '%zz',
    'l\u00f6calhost',
  ]
  for (const host of none) {
    for (const url of ['/open', '/nothing']) {
      const answer = await app.inject({ url, headers: { host } })
      assert.equal(answer.statusCode, 400, `${host} at ${url}`)
      assert.equal(answer.json().code, 'HOST_INVALID')
    }
  }
})

test('no Host, or more than one, is a bad request (RFC 9112 §3.2)', { timeout }, async (t) => {
  const { app, token } = await armouredApp(t)
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = new URL(app.listeningOrigin)
  const ask = (...lines: string[]) => exchangeBytes(port, ['GET /open HTTP/1.1', ...lines, 'Connection: close'])
  for (const lines of [
    [],
    ['Host: localhost', 'Host: evil.example'],
    ['Host: evil.example', 'Host: localhost'],
    ['Host: localhost', 'X-Between: 1', 'hOST: localhost'],
    ['Host: localhost', 'Host:'],
    ['Host:', 'Host: localhost'],
  ]) {
    const answer = await ask(...lines)
    assert.match(answer, /^HTTP\/1\.1 400 /, lines.join())
    assert.match(answer, /HOST_INVALID/)
    for (const [name, value] of SECURITY_HEADERS) assert.ok(answer.includes(`${name}: ${value}\r\n`), name)
  }
  assert.match(await ask('Host: localhost'), /^HTTP\/1\.1 200 /)
  assert.match(await ask('Host:'), /^HTTP\/1\.1 403 /)
  assert.match(await exchangeBytes(port, ['GET /open HTTP/1.0', 'Host: localhost']), /^HTTP\/1\.1 200 /)
  const twoTokens = await exchangeBytes(port, [
    'GET /whoami HTTP/1.1',
    'Host: localhost',
    `Authorization: Bearer ${token}`,
    'Authorization: Bearer other',
    'Connection: close',
  ])
  assert.match(twoTokens, /^HTTP\/1\.1 401 /)
})

test(
  'loopback names, the bind address, the public host and listed hosts are ours, on any port',
  { timeout },
  async (t) => {
    const { app } = await armouredApp(t, {
      CROW_GATEWAY_BIND: '192.168.7.1',
      CROW_GATEWAY_URL: 'https://crow.example:8443/x',
      CROW_ALLOWED_HOSTS: 'crow.local, fd00::1',
    })
    for (const host of [
      'localhost',
      'LocalHost:9',
      '127.0.0.1:3001',
      '[::1]:3001',
      '192.168.7.1:3001',
      'crow.example',
      'CROW.local:80',
      '[fd00::1]',
    ]) {
      assert.equal((await app.inject({ url: '/open', headers: { host } })).statusCode, 200, host)
    }
  },
)

test('bound to every interface, the gateway answers to the address a connection arrived at', { timeout }, async (t) => {
  const { app } = await armouredApp(t, { CROW_GATEWAY_BIND: '0.0.0.0', CROW_GATEWAY_URL: 'http://192.168.7.1:3001' })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = new URL(app.listeningOrigin)
  const statusOf = (host: string): Promise<number | undefined> =>
    new Promise((resolve, reject) => {
      const sent = request({ host: '127.0.0.1', port, path: '/open', headers: { host } }, (answer) => {
        answer.resume()
        resolve(answer.statusCode)
      })
      sent.on('error', reject).end()
    })
  assert.equal(await statusOf(`127.0.0.1:${port}`), 200)
  assert.equal(await statusOf('10.9.8.7'), 403)
  assert.equal(await statusOf('0.0.0.0'), 403)
})
