// Discovery: one issuer, one document for every URL of every server, and no address that a stranger put in.
import assert from 'node:assert/strict'
import { request } from 'node:http'
import { test } from 'node:test'
import { freePort } from '../../fixtures/loopback.ts'
import { Browser } from './browser.ts'
import { begin, call, connect, newClient, read, WEB } from './client.ts'
import { oauthApp, type OAuthApp } from './oauth-app.ts'

const timeout = 60_000
const SERVER = '/.well-known/oauth-authorization-server'
const RESOURCE = '/.well-known/oauth-protected-resource'

const get = async (app: OAuthApp, path: string) => read(await fetch(app.origin + path))

/** With headers that `fetch` does not let through. */
function raw(app: OAuthApp, path: string, headers: Record<string, string>): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port: app.port, path, headers }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => void chunks.push(chunk))
      response.on('end', () => {
        const text = JSON.stringify(response.headers) + Buffer.concat(chunks).toString()
        resolve({ status: response.statusCode ?? 0, text })
      })
    })
    sent.on('error', reject)
    sent.end()
  })
}

test('each URL of each server has its own document, whose resource is exactly that URL', { timeout }, async (t) => {
  const app = await oauthApp(t)
  for (const [path, scope] of [
    ['/memory/mcp', 'memory'],
    ['/memory/sse', 'memory'],
    ['/mcp', 'memory'],
    ['/sse', 'memory'],
    ['/storage/mcp', 'storage'],
  ] as const) {
    const { status, body } = await get(app, RESOURCE + path)
    assert.equal(status, 200)
    assert.equal(body['resource'], app.origin + path)
    assert.deepEqual(body['authorization_servers'], [app.origin])
    assert.deepEqual(body['scopes_supported'], [scope, `${scope}:read`])
  }
  assert.equal((await get(app, RESOURCE)).body['resource'], app.origin)
  assert.equal((await fetch(`${app.origin}${RESOURCE}/nothing/mcp`)).status, 404)
  const named = await read(await fetch(`http://localhost:${app.port}${RESOURCE}/memory/mcp`))
  assert.equal(named.body['resource'], `http://localhost:${app.port}/memory/mcp`)
  assert.deepEqual(named.body['authorization_servers'], [app.origin])
  assert.equal(app.app.urls.metadataUrlOf('/memory/mcp'), `${app.origin}${RESOURCE}/memory/mcp`)
})

test(
  'the document says what the authorization server does, and nothing of it is loaded to say so',
  { timeout },
  async (t) => {
    const app = await oauthApp(t)
    const { body } = await get(app, SERVER)
    assert.deepEqual((await get(app, '/.well-known/openid-configuration')).body, body)
    const keys = await get(app, '/jwks')
    assert.deepEqual(
      [keys.body['keys']].flat().map((key) => Reflect.get(Object(key), 'alg')),
      ['ES256'],
    )
    for (const [name, value] of Object.entries(body)) {
      if (!name.endsWith('_endpoint') && name !== 'jwks_uri') continue
      const answer = await fetch(String(value), { method: name === 'jwks_uri' ? 'GET' : 'POST' })
      const isPage = name === 'authorization_endpoint'
      assert.equal(answer.status === 404, isPage, `${name} answered ${answer.status}`)
    }
  },
)

test('behind a proxy every address begins with the public one, whatever headers say', { timeout }, async (t) => {
  const app = await oauthApp(t, { env: { CROW_GATEWAY_URL: 'https://gw.example', CROW_ALLOWED_HOSTS: '10.0.0.5' } })
  const clientId = await newClient(app, WEB)
  const { url } = begin({ origin: '' }, clientId, { redirect_uri: WEB, resource: 'https://gw.example/memory/mcp' })
  for (const headers of [
    { host: '10.0.0.5:3001' },
    { host: '10.0.0.5:3001', 'x-forwarded-proto': 'https', 'x-forwarded-host': 'gw.example' },
    { host: 'gw.example', 'x-forwarded-host': 'evil.example', forwarded: 'host=evil.example' },
  ]) {
    for (const path of [
      SERVER,
      '/.well-known/openid-configuration',
      RESOURCE,
      `${RESOURCE}/memory/mcp`,
      url,
      '/jwks',
    ]) {
      const { status, text } = await raw(app, path, headers)
      assert.ok(status < 400, `${path} ${status} ${text}`)
      assert.ok(!/evil\.example|10\.0\.0\.5|127\.0\.0\.1|"http:/.test(text), `${path} says ${text}`)
    }
    const document = await raw(app, `${RESOURCE}/memory/mcp`, headers)
    assert.ok(document.text.includes('"resource":"https://gw.example/memory/mcp"'))
    const started = await raw(app, url, headers)
    const name = app.app.cookieJar.nameOf('interaction', '__Secure-')
    assert.match(started.text, new RegExp(`${name}=[^;]+; path=/interaction/[^;]+;[^"]*secure`, 'i'))
  }
})

test('without a public address a foreign Host is not repeated', { timeout }, async (t) => {
  const app = await oauthApp(t)
  for (const path of [SERVER, RESOURCE, `${RESOURCE}/memory/mcp`, '/authorize?client_id=x']) {
    const { status, text } = await raw(app, path, { host: 'evil.example' })
    assert.equal(status, 403)
    assert.ok(!text.includes('evil.example'))
  }
  const forwarded = await raw(app, SERVER, { host: `127.0.0.1:${app.port}`, 'x-forwarded-host': 'evil.example' })
  assert.ok(!forwarded.text.includes('evil.example'))
})

test('a public address with a path carries it everywhere', { timeout }, async (t) => {
  const port = await freePort()
  const origin = `http://127.0.0.1:${port}`
  const app = await oauthApp(t, { port, env: { CROW_GATEWAY_URL: `${origin}/gw` } })
  const issuer = `${origin}/gw`
  for (const path of [`${SERVER}/gw`, `/gw${SERVER}`, '/gw/.well-known/openid-configuration'])
    assert.equal((await get(app, path)).body['issuer'], issuer, path)
  for (const path of [`${RESOURCE}/gw/memory/mcp`, `/gw${RESOURCE}/memory/mcp`])
    assert.equal((await get(app, path)).body['resource'], `${issuer}/memory/mcp`, path)

  const under = { ...app, origin: issuer }
  const clientId = await newClient(under, WEB)
  const browser = new Browser(origin, '/gw')
  const at = { redirect_uri: WEB, resource: `${issuer}/memory/mcp` }
  const { answer, access } = await connect(under, clientId, { browser, at })
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  assert.deepEqual(browser.seen, ['login', 'consent'])
  assert.equal((await call(under, '/memory/mcp', access)).status, 200)
  assert.ok(
    browser.paths.every((path) => path.startsWith('/gw')),
    browser.paths.join(' '),
  )
})
