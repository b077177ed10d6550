import assert from 'node:assert/strict'
import { test } from 'node:test'
import helmet from '@fastify/helmet'
import Fastify from 'fastify'
import { formActionFor } from '../../../plugins/armour/pages.ts'
import { SECURITY_HEADERS } from '../../../plugins/armour/headers.ts'
import { Browser, gateway, PASSWORD, signedIn } from '../login/browser.ts'

const timeout = 60_000
const POLICY =
  "default-src 'none'; style-src 'self'; img-src 'self' data:; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
/** Left out on purpose: Internet Explorer alone reads it, and what it guards against was switched off everywhere (`0`). */
const NOT_NEEDED = new Set(['x-download-options', 'x-xss-protection', 'strict-transport-security'])

test('pages carry every header that helmet would set, as strict or stricter', { timeout }, async (t) => {
  const { app } = await gateway(t, { CROW_GATEWAY_URL: 'https://crow.example' })
  const scratch = Fastify()
  t.after(() => scratch.close())
  await scratch.register(helmet)
  scratch.get('/', () => '')
  const theirs = (await scratch.inject('/')).headers
  const page = (await new Browser(app, { host: 'crow.example', scheme: 'https' }).get('/setup')).headers
  const missing = Object.keys(theirs).filter(
    (name) =>
      /^(x-|cross-|origin-|referrer|content-security|strict)/.test(name) && !NOT_NEEDED.has(name) && !(name in page),
  )
  assert.deepEqual(
    missing,
    ['cross-origin-embedder-policy'].filter((name) => name in theirs && !(name in page)),
  )
  assert.equal(page['content-security-policy'], POLICY)
  assert.equal(page['x-frame-options'], 'DENY')
  assert.equal(page['referrer-policy'], 'same-origin')
  assert.match(String(page['strict-transport-security']), /^max-age=31536000/)
  for (const [name] of SECURITY_HEADERS) assert.ok(name in page, name)
})

test(
  'no page is stored or framed, runs script, or has styles of its own; nothing on it comes from elsewhere',
  { timeout },
  async (t) => {
    const { app, browser } = await signedIn(t)
    const stranger = new Browser(app)
    const answers = [
      await stranger.get('/login'),
      await stranger.post('/login', { password: 'wrong' }),
      await stranger.post('/login', { password: PASSWORD }, { origin: 'http://evil.example' }),
      await browser.get('/account'),
      await browser.post('/account/password', { current: 'x', password: 'y', repeated: 'z' }),
      await browser.post('/account/sessions/revoke', { id: 'x' }),
    ]
    await browser.post('/account/second-factor', { current: PASSWORD })
    answers.push(await browser.get('/account/second-factor'))
    for (const { headers, body, statusCode } of answers) {
      if (statusCode === 403) continue
      assert.equal(headers['cache-control'], 'no-store')
      assert.equal(headers['content-security-policy'], POLICY)
      assert.match(body, /^\s*<!doctype html>/i)
      assert.doesNotMatch(body, /<script|<style|<iframe|\sstyle=|\son[a-z]+=|javascript:|https?:\/\//i)
      const sources = [...body.matchAll(/\b(?:src|href|action)="([^"]*)"/g)].map(([, url]) => url ?? '')
      for (const url of sources) assert.match(url, /^(\/(?!\/)|data:,$|#)/)
    }
    assert.equal((await browser.get('/account')).headers['access-control-allow-credentials'], undefined)
  },
)

test('the stylesheet is there under a name of its content, for ever and for everybody', { timeout }, async (t) => {
  const { app } = await gateway(t)
  const browser = new Browser(app)
  const path = /href="([^"]+\.css)"/.exec((await browser.get('/setup')).body)?.[1] ?? ''
  const sheet = await browser.get(path)
  assert.deepEqual([sheet.statusCode, sheet.headers['cache-control']], [200, 'public, max-age=31536000, immutable'])
  assert.match(String(sheet.headers['content-type']), /^text\/css/)
  assert.doesNotMatch(sheet.body, /url\(|@import/)
})

test('behind a path, every address on a page begins with it', { timeout }, async (t) => {
  const { app } = await gateway(t, { CROW_GATEWAY_URL: 'https://crow.example/gate' })
  await app.operators.setPassword(PASSWORD)
  const browser = new Browser(app, { host: 'crow.example', scheme: 'https' })
  assert.equal((await browser.get('/gate/setup')).headers.location, '/gate/login')
  const { body } = await browser.get('/gate/login')
  for (const [, url] of body.matchAll(/\b(?:href|action)="(\/[^"]*)"/g)) assert.match(url ?? '', /^\/gate\//)
  assert.equal((await browser.post('/gate/login', { password: PASSWORD })).headers.location, '/gate/account')
})

test('form-action names where an answer may go, and nothing that begins another directive', { timeout }, () => {
  const cases: readonly (readonly [string, string | undefined])[] = [
    ['https://claude.ai/api/mcp/auth_callback?x=1', 'https://claude.ai'],
    ['http://127.0.0.1:53711/callback', 'http://127.0.0.1:53711'],
    ['http://localhost/cb', 'http://localhost'],
    ['http://[::1]:4711/cb', 'http://*:4711'],
    ['cursor://anysphere.cursor-mcp/oauth', 'cursor:'],
    ['com.example.app:/cb', 'com.example.app:'],
    ['https://bücher.example/cb', 'https://xn--bcher-kva.example'],
    ['https://a;script-src.example/cb', undefined],
    ['https://a,default-src.example/cb', undefined],
    ["https://a'b.example/cb", undefined],
    ['javascript:alert(1)', undefined],
    ['data:text/html,x', undefined],
    ['not a url', undefined],
  ]
  for (const [redirect, source] of cases) assert.equal(formActionFor(redirect), source, redirect)
})
