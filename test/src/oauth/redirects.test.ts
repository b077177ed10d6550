import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  hostOfRedirect,
  identifiesClient,
  isLocal,
  isNative,
  kindOfRedirect,
  placeOfRedirect,
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

test('a redirect is written as a URI, and a browser reads nothing else out of it', { timeout }, () => {
  for (const uri of [
    ' https://app.example/cb',
    'https://app.example/c\nb',
    'https://app.example/\0',
    'https://app.example/a b',
    'https:\\\\app.example\\cb',
    'https://app.example\\@evil.example/',
    'https:app.example/cb',
    'https:/app.example/cb',
    'https:///app.example/cb',
    'http:127.0.0.1/cb',
    'https://\u0430pp.example/cb',
    'https://app.example/%zz',
    'https://@app.example/cb',
    'https://:@app.example/cb',
    'com.example.app://@x/cb',
    'java\nscript:alert(1)',
  ])
    assert.ok('reason' in kindOfRedirect(uri), JSON.stringify(uri))
  for (const uri of [
    'https://app.example/a%20b?x=[1]&y=@',
    'HTTPS://APP.example:8443',
    'https://xn--pp-7kc.example/@me',
  ])
    assert.deepEqual(kindOfRedirect(uri), { kind: 'https' }, uri)
  assert.deepEqual(kindOfRedirect('com.example.app:cb?x=a@b'), { kind: 'private-scheme' })
})

test('a scheme is one of a known program or by a domain, and never of the browser or the system', { timeout }, () => {
  for (const scheme of ['cursor', 'vscode', 'vscode-insiders', 'windsurf', 'claude', 'com.example.app', 'io.my-app'])
    assert.deepEqual(kindOfRedirect(`${scheme}://cb`), { kind: 'private-scheme' }, scheme)
  const refused =
    'ms-msdt search-ms ms-word ms-settings chrome-extension moz-extension feed urn jar view-source intent android-app x-apple.systempreferences com.apple.tv shell tel ' +
    'x itms data blob filesystem about mocha ldap ssh web+x market facetime help res'
  for (const scheme of refused.split(' ')) assert.ok('reason' in kindOfRedirect(`${scheme}:cb`), scheme)
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
  for (const host of ['127.0.0.1', '127.0.0.2', '2130706433', 'localhost', 'a.localhost', 'LOCALHOST.', '[::1]'].concat(
    ['[::ffff:127.9.9.9]', '0.0.0.0', '[::]'],
  )) {
    assert.ok(isLocal(`https://${host}/cb`), host)
    assert.ok(!identifiesClient(`https://${host}/cb`), host)
  }
  assert.ok(isLocal(CURSOR))
  for (const host of ['app.example', 'localhost.example', '128.0.0.1', 'notlocalhost', '127.0.0.1.example'])
    assert.ok(!isLocal(`https://${host}/cb`), host)
  assert.equal(placeOfRedirect('https://app.example/a?b'), 'https://app.example')
  assert.equal(placeOfRedirect(CURSOR), CURSOR)
  assert.equal(hostOfRedirect('https://app.example:8443/cb'), 'app.example')
  assert.equal(hostOfRedirect(CURSOR), 'cursor:')
})
