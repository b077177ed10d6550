// Who may ask about a token, and who may end one.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { call, connect, LOOPBACK, newClient, post, refresh, register, textOf } from './client.ts'
import { oauthApp, type OAuthApp } from './oauth-app.ts'

const timeout = 60_000

async function confidential(app: OAuthApp) {
  const answer = await register(app, {
    client_name: 'Server',
    redirect_uris: [LOOPBACK],
    token_endpoint_auth_method: 'client_secret_post',
  })
  const client = { client_id: textOf(answer, 'client_id'), client_secret: textOf(answer, 'client_secret') }
  const connection = await connect(app, client.client_id, {
    exchange: client,
    at: { resource: `${app.origin}/memory/mcp` },
  })
  assert.equal(connection.answer.status, 200, JSON.stringify(connection.answer.body))
  return { client, ...connection }
}

test('a client with a secret learns of its own tokens, and nothing of others', { timeout }, async (t) => {
  const app = await oauthApp(t)
  const { client, access, refresh: token } = await confidential(app)
  const { body } = await post(app, '/introspect', { ...client, token: access })
  assert.deepEqual(
    { ...body, exp: 0, iat: 0 },
    {
      active: true,
      aud: `${app.origin}/memory/mcp`,
      client_id: client.client_id,
      exp: 0,
      iat: 0,
      iss: app.origin,
      scope: 'memory memory:read',
      sub: 'operator',
      token_type: 'Bearer',
    },
  )
  assert.equal((await post(app, '/introspect', { ...client, token })).body['active'], true)
  const other = await connect(app, await newClient(app))
  for (const foreign of [other.access, other.refresh, 'unknown', 'a.b.c', 'eyJhbGciOiJub25lIn0.e30.'])
    assert.deepEqual((await post(app, '/introspect', { ...client, token: foreign })).body, { active: false }, foreign)
})

test('a client without a secret may not ask at all', { timeout }, async (t) => {
  const app = await oauthApp(t)
  const clientId = await newClient(app)
  const { access } = await connect(app, clientId)
  for (const form of [
    { client_id: clientId, token: access },
    { token: access },
    { client_id: clientId, client_secret: 'x', token: access },
  ]) {
    const answer = await post(app, '/introspect', form)
    assert.equal(answer.status, 401)
    assert.equal(answer.body['error'], 'invalid_client')
    assert.equal(answer.body['active'], undefined)
  }
})

test('a local token with the scope may ask about every token, and another may not', { timeout }, async (t) => {
  const app = await oauthApp(t)
  const clientId = await newClient(app)
  const { access, refresh: token } = await connect(app, clientId)
  const ask = async (scopes: string[] | undefined, about: string) => {
    const request = {
      name: `token ${String(scopes)} ${about.slice(0, 16)}`,
      ...(scopes === undefined ? {} : { scopes }),
    }
    const { secret } = await app.app.tokens.create(request)
    return post(app, '/introspect', { token: about }, { authorization: `Bearer ${secret}` })
  }
  for (const scopes of [['introspect'], undefined]) {
    const { body } = await ask(scopes, access)
    assert.equal(body['active'], true)
    assert.equal(body['client_id'], clientId)
    assert.equal((await ask(scopes, token)).body['active'], true)
    assert.deepEqual((await ask(scopes, 'unknown-token')).body, { active: false })
  }
  assert.equal((await ask(['memory'], access)).status, 401)
  const byAccess = await post(app, '/introspect', { token: access }, { authorization: `Bearer ${access}` })
  assert.equal(byAccess.status, 401)
  const byNobody = await post(app, '/introspect', { token: access }, { authorization: 'Bearer nonsense' })
  assert.equal(byNobody.status, 401)
})

test('a client ends its own tokens, and anything else is answered as if it were ended', { timeout }, async (t) => {
  const app = await oauthApp(t)
  const clientId = await newClient(app)
  const mine = await connect(app, clientId)
  const stranger = await newClient(app)
  for (const token of [mine.access, mine.refresh, 'unknown', 'a.b.c', 'eyJhbGciOiJub25lIn0.e30.']) {
    const answer = await post(app, '/revoke', { client_id: stranger, token })
    assert.equal(answer.status, 200, token)
  }
  assert.equal((await call(app, '/memory/mcp', mine.access)).status, 200)
  assert.equal(
    (await post(app, '/revoke', { client_id: clientId, token: mine.refresh, token_type_hint: 'access_token' })).status,
    200,
  )
  assert.equal((await call(app, '/memory/mcp', mine.access)).status, 401)
  assert.equal((await refresh(app, clientId, mine.refresh)).body['error'], 'invalid_grant')
  assert.deepEqual(app.app.authorizations.list(), [])
  assert.equal((await post(app, '/revoke', { client_id: 'nobody', token: 'x' })).body['error'], 'invalid_client')
})
