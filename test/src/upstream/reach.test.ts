// Where a URL may lead: not to the credentials of a cloud machine, not back to us; the own network is marked.
import assert from 'node:assert/strict'
import { networkInterfaces } from 'node:os'
import { test } from 'node:test'
import { isForbiddenHost } from '../../../src/config/forbidden-hosts.ts'
import { reachOf, type Self } from '../../../src/upstream/reach.ts'

const timeout = 10_000
const self: Self = { ports: () => [3001], publicUrl: new URL('https://crow.example/base') }

const said = (url: string): string => {
  const found = reachOf(url, self)
  return typeof found === 'string' ? found : found.reach
}

test('addresses are public, private or this machine, however they are written', { timeout }, () => {
  const rows: readonly (readonly [string, string])[] = [
    ['https://api.example/mcp', 'public'],
    ['http://203.0.113.9/', 'public'],
    ['http://localhost:8080', 'loopback'],
    ['http://127.0.0.1:8080', 'loopback'],
    ['http://0x7f.1:8080', 'loopback'],
    ['http://2130706433:8080', 'loopback'],
    ['http://[::1]:8080', 'loopback'],
    ['http://[::ffff:127.0.0.1]:8080', 'loopback'],
    ['http://0.0.0.0:8080', 'loopback'],
    ['http://app.localhost:8080', 'loopback'],
    ['http://192.168.1.5', 'private'],
    ['http://10.0.0.1', 'private'],
    ['http://[::ffff:10.0.0.1]', 'private'],
    ['http://[fd00::1]', 'private'],
    ['http://nas', 'private'],
    ['http://printer.local', 'private'],
  ]
  for (const [url, reach] of rows) assert.equal(said(url), reach, url)
})

test('link-local and metadata addresses are refused, however they are written', { timeout }, () => {
  for (const host of [
    '169.254.169.254',
    '0xA9FEA9FE',
    '2852039166',
    '169.254.169.254.',
    '[::ffff:169.254.169.254]',
    '[64:ff9b::a9fe:a9fe]',
    '[fe80::1]',
    '[fd00:ec2::254]',
    '100.100.100.200',
    'metadata.google.internal',
    'METADATA.google.internal.',
  ])
    assert.match(said(`http://${host}/latest`), /^leads to link-local addresses/, host)
  assert.ok(isForbiddenHost('fe80::1%eth0'))
  assert.ok(isForbiddenHost('::ffff:169.254.1.1'))
  assert.ok(!isForbiddenHost('127.0.0.1'))
})

test('only http and https, and no password in the address', { timeout }, () => {
  for (const url of ['file:///etc/passwd', 'ftp://a.example', 'javascript:alert(1)', 'data:,x', 'ws://a.example'])
    assert.match(said(url), /must begin with http: or https:$/, url)
  assert.match(said('https://me:pw@a.example'), /^holds a user name or password/)
  assert.equal(said('//a.example'), 'is not a URL')
})

test('the gateway is no server of its own', { timeout }, () => {
  const mine = Object.values(networkInterfaces())
    .flatMap((all) => all ?? [])
    .find(({ family, internal }) => family === 'IPv4' && !internal)?.address
  const urls = [
    'http://localhost:3001/mcp',
    'http://127.0.0.5:3001/memory/mcp',
    'http://[::1]:3001',
    'http://0.0.0.0:3001',
    'https://crow.example/base/tools/mcp',
    'https://CROW.example/',
    ...(mine === undefined ? [] : [`http://${mine}:3001/mcp`]),
  ]
  for (const url of urls) assert.equal(said(url), 'leads to this gateway itself', url)
  assert.equal(said('http://localhost:3002/mcp'), 'loopback')
  assert.equal(said('http://other.example:3001/mcp'), 'public')
})
