// Clients that prove themselves in the header: ids and secrets with special characters, and ids that somebody else has.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeClient } from '../../../src/oauth/clients.ts'
import { begin, connect, LOOPBACK, newClient, post, register, textOf, WEB } from './client.ts'
import { Browser } from './browser.ts'
import { oauthApp } from './oauth-app.ts'

const timeout = 60_000
const ID = 'desk app:7'
const SECRET = 'p/a+b:c%=e'
const EVIL = 'https://evil.example/callback'

const basic = (id: string, secret: string): { authorization: string } => ({
  authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
})

/** As RFC 6749 appendix B asks for it, from the form body of the platform. */
const encoded = (text: string): string => new URLSearchParams({ text }).toString().slice('text='.length)

/** Every character that is not a letter or a digit, as some libraries do. */
const encodedWhole = (text: string): string =>
  text.replaceAll(/[^A-Za-z0-9]/g, (char) => `%${char.charCodeAt(0).toString(16).padStart(2, '0').toUpperCase()}`)

const REFRESH = { grant_type: 'refresh_token', refresh_token: 'x' }

test('what is given out works raw, encoded and encoded to the last character', { timeout }, async (t) => {
  const app = await oauthApp(t)
  for (let count = 0; count < 50; count++) {
    const answer = await register(app, { redirect_uris: [LOOPBACK], token_endpoint_auth_method: 'client_secret_basic' })
    const [id, secret] = [textOf(answer, 'client_id'), textOf(answer, 'client_secret')]
    for (const as of [(text: string) => text, encoded, encodedWhole]) {
      const told = await post(app, '/token', REFRESH, basic(as(id), as(secret)))
      assert.equal(told.body['error'], 'invalid_grant', 'it is known, and only the token is not')
    }
    const wrong = await post(app, '/token', REFRESH, basic(id, `${secret}x`))
    assert.deepEqual([wrong.status, wrong.body['error']], [401, 'invalid_client'])
    assert.match(wrong.headers.get('www-authenticate') ?? '', /^Basic /)
    app.time.offsetMs += 16 * 60_000
  }
})

test('what cannot be decoded is a wrong secret and no failure of ours', { timeout }, async (t) => {
  const app = await oauthApp(t)
  await makeClient(app.app.database, app.app.clock, { id: ID, name: 'Desk', redirectUris: [LOOPBACK], secret: SECRET })
  for (const authorization of [
    basic(ID, SECRET).authorization,
    basic('%', '%').authorization,
    basic('%E4', '%FF').authorization,
    basic('desk+app%3A7', '').authorization,
    'Basic',
    'Basic ====',
    `Basic ${Buffer.from('no colon').toString('base64')}`,
    `Basic ${Buffer.from('dësk:pß').toString('base64')}`,
  ]) {
    const answer = await post(app, '/token', REFRESH, { authorization })
    assert.ok(answer.status === 400 || answer.status === 401, `${authorization}: ${answer.status}`)
    assert.match(textOf(answer, 'error'), /^invalid_(client|request)$/, authorization)
  }
})

test('nobody else gets the id of a client that is there already', { timeout }, async (t) => {
  const app = await oauthApp(t)
  const { clock, database } = app.app
  await makeClient(database, clock, { id: ID, name: 'Desk', redirectUris: [WEB], secret: SECRET })
  const registered = await newClient(app, WEB)
  for (const id of [ID, registered]) {
    const answer = await register(app, {
      client_id: id,
      client_secret: 'a-secret-of-mine',
      client_name: 'Desk',
      redirect_uris: [EVIL],
      token_endpoint_auth_method: 'client_secret_basic',
    })
    assert.equal(answer.status, 201)
    assert.notEqual(answer.body['client_id'], id)
    const browser = new Browser(app.origin)
    await browser.logIn()
    const { location, page } = await browser.authorize(begin(app, id, { redirect_uri: EVIL }).url)
    assert.deepEqual([location, page?.status], [undefined, 400], 'still not an address of it')
    const taken = makeClient(database, clock, { id, name: 'Desk', redirectUris: [EVIL], secret: SECRET })
    await assert.rejects(taken, { code: 'CLIENT_TAKEN' })
  }
  const mine = await post(app, '/token', REFRESH, basic(encoded(ID), 'a-secret-of-mine'))
  assert.equal(mine.body['error'], 'invalid_client')
  const own = await post(app, '/token', REFRESH, basic(encoded(ID), encoded(SECRET)))
  assert.equal(own.body['error'], 'invalid_grant')
})

test('a client with special characters in its id has a budget of its own like any other', { timeout }, async (t) => {
  const app = await oauthApp(t)
  await makeClient(app.app.database, app.app.clock, { id: ID, name: 'Desk', redirectUris: [LOOPBACK], secret: SECRET })
  const own = basic(encoded(ID), encoded(SECRET))
  const { refresh: token } = await connect(app, ID, { headers: own, exchange: { client_id: undefined } })
  const proxied = { 'x-forwarded-for': '203.0.113.9' }
  for (let count = 0; count < 25; count++) await post(app, '/token', { ...REFRESH, client_id: 'nobody' }, proxied)
  const spent = await post(app, '/token', { ...REFRESH, client_id: 'nobody' }, proxied)
  assert.equal(spent.status, 429)
  const form = { grant_type: 'refresh_token', refresh_token: token }
  const answer = await post(app, '/token', form, { ...own, ...proxied })
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
})
