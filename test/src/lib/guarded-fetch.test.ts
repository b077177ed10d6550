import assert from 'node:assert/strict'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { test } from 'node:test'
import { createGuardedFetch, FetchRefused, type FetchPorts } from '../../../src/lib/guarded-fetch.ts'
import { createPublicAddressTest } from '../../../src/lib/public-address.ts'
import { PUBLIC, webSite } from '../../fixtures/web-site.ts'

const options = { timeout: 20_000 }
const bounds = { bytesMax: 10_240, timeoutMs: 500, types: ['application/json'] }

const json = (body: string) => (_request: IncomingMessage, response: ServerResponse) =>
  void response.writeHead(200, { 'content-type': 'application/json; charset=utf-8' }).end(body)

const refused = (why: RegExp) => (error: unknown) => error instanceof FetchRefused && why.test(error.message)

test('a document of a public name arrives over one pinned connection', options, async (t) => {
  const { ports, connected } = await webSite(t, json('{"ok":true}'))
  const { body, status } = await createGuardedFetch(bounds, ports)('https://client.example/meta.json')
  assert.deepEqual([status, body, connected], [200, '{"ok":true}', [PUBLIC]])
})

test('an address literal, http, credentials and nonsense are refused before any look-up', options, async (t) => {
  const { ports, asked, connected } = await webSite(t, json('{}'))
  const fetchOne = createGuardedFetch(bounds, ports)
  const bad = [
    'http://client.example/x',
    'https://127.0.0.1/x',
    'https://0x7f.1/x',
    'https://2130706433/x',
    'https://017700000001/x',
    'https://[::1]/x',
    'https://[::ffff:127.0.0.1]/x',
    'https://169.254.169.254/x',
    'https://[fd00::1]/x',
    'https://user@client.example/x',
    'ftp://client.example/x',
    'file:///etc/passwd',
    'not an address',
  ]
  for (const url of bad) await assert.rejects(fetchOne(url), FetchRefused, url)
  assert.deepEqual([asked, connected], [[], []])
})

test(
  'a name that resolves into a private network is refused, also when a public address stands beside it',
  options,
  async (t) => {
    const inside = [
      '127.0.0.1',
      '10.1.2.3',
      '169.254.169.254',
      '::1',
      '::ffff:127.0.0.1',
      'fd00::1',
      'fe80::1',
      '0.0.0.0',
      '64:ff9b::7f00:1',
    ]
    for (const address of inside) {
      for (const addresses of [[address], [PUBLIC, address], [address, PUBLIC]]) {
        const { ports, connected } = await webSite(t, json('{}'), [addresses])
        await assert.rejects(
          createGuardedFetch(bounds, ports)('https://client.example/x'),
          refused(/public internet/),
          address,
        )
        assert.deepEqual(connected, [])
      }
    }
  },
)

test(
  'a name is looked up once per fetch, so a second answer cannot lead the connection elsewhere',
  options,
  async (t) => {
    const { ports, asked, connected } = await webSite(t, json('{}'), [[PUBLIC], ['127.0.0.1']])
    const fetchOne = createGuardedFetch(bounds, ports)
    await fetchOne('https://client.example/x')
    assert.deepEqual([asked, connected], [['client.example'], [PUBLIC]])
    await assert.rejects(fetchOne('https://client.example/x'), refused(/public internet/))
  },
)

test('redirects, errors, other media types and compressed bodies are refused', options, async (t) => {
  const answers: Record<string, (response: ServerResponse) => void> = {
    '/302': (response) => void response.writeHead(302, { location: 'https://127.0.0.1/' }).end(),
    '/404': (response) => void response.writeHead(404, { 'content-type': 'application/json' }).end('{}'),
    '/html': (response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<p>'),
    '/none': (response) => void response.writeHead(200).end('{}'),
    '/gzip': (response) =>
      void response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' }).end('{}'),
  }
  const { ports } = await webSite(t, (request, response) => answers[request.url ?? '']?.(response))
  const fetchOne = createGuardedFetch(bounds, ports)
  for (const path of Object.keys(answers))
    await assert.rejects(fetchOne(`https://client.example${path}`), FetchRefused, path)
})

test('a body that is too large, dripped, or never begun ends within its bounds', options, async (t) => {
  const { ports } = await webSite(t, (request, response) => {
    if (request.url === '/silent') return
    response.writeHead(200, { 'content-type': 'application/json' })
    if (request.url === '/large') response.end('x'.repeat(bounds.bytesMax + 1))
    else response.write('{')
  })
  const fetchOne = createGuardedFetch(bounds, ports)
  await assert.rejects(fetchOne('https://client.example/large'), refused(/larger than/))
  for (const path of ['/drip', '/silent']) {
    await assert.rejects(fetchOne(`https://client.example${path}`), refused(/too long/), path)
  }
})

test('a look-up that never ends is given up', options, async (t) => {
  const { ports } = await webSite(t, json('{}'))
  const hanging: FetchPorts = { ...ports, resolve: () => new Promise(() => undefined) }
  await assert.rejects(createGuardedFetch(bounds, hanging)('https://client.example/x'), refused(/too long/))
})

test('a certificate for another name is refused', options, async (t) => {
  const { ports } = await webSite(t, json('{}'))
  await assert.rejects(createGuardedFetch(bounds, ports)('https://other.example/x'), refused(/could not be fetched/))
})

test('nothing that was answered is in the refusal', options, async (t) => {
  const { ports } = await webSite(
    t,
    (_request, response) => void response.writeHead(500, 'SENTINEL', { 'x-s': 'SENTINEL' }).end('SENTINEL'),
  )
  await assert.rejects(createGuardedFetch(bounds, ports)('https://client.example/x'), (error: unknown) => {
    assert.ok(error instanceof FetchRefused)
    assert.ok(!error.message.includes('SENTINEL'))
    return true
  })
})

test('public means global unicast outside of every special block', options, () => {
  const isPublic = createPublicAddressTest()
  for (const address of ['1.1.1.1', '93.184.216.34', '172.32.0.1', '2606:4700::1111', '2a00:1450::1'])
    assert.ok(isPublic(address), address)
  const inside = [
    '172.31.255.255',
    '100.127.0.1',
    '192.0.2.1',
    '198.19.0.1',
    '224.0.0.1',
    '255.255.255.255',
    '2001:db8::1',
    '2002:7f00:1::',
    'ff02::1',
    '::',
    '100::1',
    'fec0::1',
    '3fff::1',
    'localhost',
    '',
  ]
  for (const address of inside) assert.ok(!isPublic(address), address)
})
