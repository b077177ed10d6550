import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createAddresses, type Addresses } from '../../../src/oauth/addresses.ts'

const timeout = 10_000

const servers = [
  { id: 'memory', mount: '/memory', aliases: ['/'] },
  { id: 'storage', mount: '/storage', aliases: [] },
  { id: 'router', mount: '/router', aliases: [], profiled: {} },
]
const local = ['localhost', '127.0.0.1', '[::1]']

function addresses(publicUrl: string | null, allowedHosts = local, bind = '127.0.0.1'): Addresses {
  return createAddresses({
    publicUrl: publicUrl === null ? null : new URL(publicUrl),
    allowedHosts,
    servers,
    bind,
    port: () => 3001,
  })
}

test('every URL of a server means that server, and its one audience', { timeout }, () => {
  const { audienceOf, issuer, serverOf } = addresses('https://gw.example/')
  assert.equal(issuer, 'https://gw.example')
  for (const path of ['/memory/mcp', '/memory/sse', '/mcp', '/sse', '/mcp/'])
    assert.equal(serverOf(`https://gw.example${path}`), 'memory', path)
  assert.equal(serverOf('https://gw.example/storage/mcp'), 'storage')
  assert.equal(serverOf('https://GW.example:443/'), 'all')
  assert.equal(audienceOf('memory'), 'https://gw.example/memory/mcp')
  assert.equal(audienceOf('all'), 'https://gw.example')
})

test('what is not one of our URLs means nothing', { timeout }, () => {
  const { serverOf } = addresses('https://gw.example/base')
  for (const other of [
    'https://gw.example/mcp',
    'https://gw.example/basement/mcp',
    'https://gw.example/base/mcp?x',
    'https://gw.example/base/mcp#x',
    'https://u@gw.example/base/mcp',
    'http://gw.example/base/mcp',
    'https://gw.example:8443/base/mcp',
    'https://gw.example.evil/base/mcp',
    'http://127.0.0.1:3001/base/mcp',
    'https://gw.example/base/nothing/mcp',
    'memory',
    '',
  ])
    assert.equal(serverOf(other), undefined, other)
  assert.equal(serverOf('https://gw.example/base/mcp'), 'memory')
  assert.equal(serverOf('https://gw.example/base'), 'all')
})

test('an address that names a profile means the same server, where there are profiles', { timeout }, () => {
  const { audienceOf, profileIn, serverOf } = addresses('https://gw.example/base')
  for (const path of ['/router/mcp', '/router/sse', '/router/mcp/'])
    assert.equal(serverOf(`https://gw.example/base${path}?profile=work-2`), 'router', path)
  assert.equal(audienceOf('router'), 'https://gw.example/base/router/mcp')
  for (const other of [
    '/router/mcp?profile=',
    '/router/mcp?profile=A',
    `/router/mcp?profile=${'x'.repeat(33)}`,
    '/router/mcp?profile=a&profile=b',
    '/router/mcp?x=1&profile=a',
    '/router/mcp?x?profile=a',
    '/router/mcp?profile=a#x',
    '/router?profile=a',
    '?profile=a',
    '/mcp?profile=a',
    '/storage/mcp?profile=a',
  ])
    assert.equal(serverOf(`https://gw.example/base${other}`), undefined, other)
  assert.equal(serverOf('https://evil.example/base/router/mcp?profile=a'), undefined)
  assert.equal(profileIn('/router/sse', { profile: 'work', sessionId: 'x' }), '?profile=work')
  for (const [path, query] of [
    ['/router/sse', {}],
    ['/router/sse', { profile: 'Work' }],
    ['/router/sse', { profile: ['a', 'b'] }],
    ['/router/sse', null],
    ['/memory/mcp', { profile: 'work' }],
    ['/nothing', { profile: 'work' }],
  ] as const)
    assert.equal(profileIn(path, query), '', JSON.stringify(query))
})

test('without a public address every spelling of this machine is ours, at our port', { timeout }, () => {
  const { issuer, serverOf } = addresses(null)
  assert.equal(issuer, 'http://127.0.0.1:3001')
  for (const host of ['127.0.0.1', 'localhost', '[::1]', 'LOCALHOST'])
    assert.equal(serverOf(`http://${host}:3001/memory/mcp`), 'memory', host)
  for (const other of ['http://127.0.0.1:3002/mcp', 'http://127.0.0.1/mcp', 'http://evil.example:3001/mcp'])
    assert.equal(serverOf(other), undefined, other)
})

test('a Host is repeated only without a public address, and only when it is allowed', { timeout }, () => {
  const open = addresses(null, [...local, 'crow.lan'])
  assert.equal(open.urlFor('/x', 'crow.lan:3001'), 'http://crow.lan:3001/x')
  assert.equal(open.urlFor('/x', 'LocalHost:3001'), 'http://localhost:3001/x')
  for (const host of ['evil.example', 'crow.lan@evil.example', 'crow.lan/evil', '', undefined])
    assert.equal(open.urlFor('/x', host), 'http://127.0.0.1:3001/x', host)
  const fixed = addresses('https://gw.example/gw')
  assert.equal(fixed.urlFor('/x', 'localhost:3001'), 'https://gw.example/gw/x')
  assert.equal(
    fixed.metadataUrlOf('/memory/mcp', 'evil.example'),
    'https://gw.example/gw/.well-known/oauth-protected-resource/memory/mcp',
  )
})

test('the issuer is named after where the gateway listens', { timeout }, () => {
  const named: [string, string][] = [
    ['127.0.0.1', 'http://127.0.0.1:3001'],
    ['localhost', 'http://127.0.0.1:3001'],
    ['0.0.0.0', 'http://127.0.0.1:3001'],
    ['::', 'http://127.0.0.1:3001'],
    ['::1', 'http://[::1]:3001'],
    ['192.168.1.5', 'http://192.168.1.5:3001'],
  ]
  for (const [bind, issuer] of named) assert.equal(addresses(null, local, bind).issuer, issuer)
})
