import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  hostOfRedirect,
  identifiesClient,
  isLocalOnly,
  isNative,
  kindOfRedirect,
} from '../../../src/oauth/redirects.ts'

const timeout = 10_000

const CURSOR = 'cursor://anysphere.cursor-mcp/oauth/callback'

test('a redirect is https, this machine, or a scheme of a program; anything else has a reason', { timeout }, () => {
  const kinds: [string, string][] = [
    ['https://app.example/cb', 'https'],
    ['https://localhost/cb', 'https'],
    ['http://127.0.0.1/cb', 'loopback'],
    ['http://[::1]:1/cb', 'loopback'],
    ['http://localhost:1/cb', 'loopback'],
    [CURSOR, 'private-scheme'],
    ['com.example.app:/cb', 'private-scheme'],
  ]
  for (const [uri, kind] of kinds) assert.deepEqual(kindOfRedirect(uri), { kind }, uri)
  for (const uri of [
    'http://10.0.0.1/',
    'http://localhost.evil.example/',
    'JavaScript:x',
    'about:blank',
    'x',
    'https://a@b/',
    'https://b/#',
    'wss://b/',
  ])
    assert.ok('reason' in kindOfRedirect(uri), uri)
})

test('one redirect to this machine makes a client native', { timeout }, () => {
  assert.ok(isNative(['https://app.example/cb', 'http://localhost/cb']))
  assert.ok(isNative([CURSOR]))
  assert.ok(!isNative(['https://app.example/cb']))
  assert.ok(!isNative([1, null]))
})

test('only a web site is recognised by where the answer goes', { timeout }, () => {
  assert.ok(identifiesClient('https://app.example/cb'))
  for (const uri of ['https://localhost/cb', 'http://127.0.0.1/cb', CURSOR]) assert.ok(!identifiesClient(uri), uri)
  assert.ok(isLocalOnly(['http://127.0.0.1/cb', CURSOR, 'https://localhost/']))
  assert.ok(!isLocalOnly(['http://127.0.0.1/cb', 'https://app.example/cb']))
  assert.ok(!isLocalOnly([]))
  assert.equal(hostOfRedirect('https://app.example:8443/cb'), 'app.example')
  assert.equal(hostOfRedirect(CURSOR), 'cursor:')
})
