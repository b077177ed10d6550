// The same as the page, for programs of the owner: bounded shapes in and out, problems by their codes.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LOOPBACK } from '../oauth/client.ts'
import { owned } from './connected.ts'

const timeout = 60_000
const TIME = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/

test('the API is for the owner, and changes nothing for a page of another site', { timeout }, async (t) => {
  const { app, owner, api, token } = await owned(t)
  const routes = app.routeTable.filter(({ path }) => /^\/api\/(clients|tokens)/.test(path))
  assert.equal(routes.length, 12)
  const cookie = [...owner.cookies].map(([key, value]) => `${key}=${value}`).join('; ')
  for (const { method, path, doors } of routes) {
    assert.deepEqual(doors, ['operator'], path)
    const url = path.replace(':id', '1').replace(':key', '0'.repeat(32))
    const payload = method === 'POST' ? { name: 'x', everything: true } : undefined
    const ask = async (headers: Record<string, string>): Promise<[number, string]> => {
      const verb = method === 'POST' || method === 'DELETE' ? method : 'GET'
      const sent = { host: owner.host, ...headers }
      const answer = await app.inject({
        method: verb,
        url,
        headers: sent,
        ...(payload === undefined ? {} : { payload }),
      })
      return [answer.statusCode, answer.json().code]
    }
    assert.deepEqual(await ask({ authorization: `Bearer ${token}` }), [401, 'LOGIN_REQUIRED'], path)
    if (method === 'GET') continue
    assert.deepEqual(await ask({ cookie }), [403, 'FORM_FOREIGN'], path)
    const foreign = { cookie, origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
    assert.equal((await ask(foreign))[0], 403, path)
  }
  assert.equal((await api('GET', '/api/tokens')).json().total, 1)
})

test('who is connected, with what, for which server, since when', { timeout }, async (t) => {
  const { api, letIn, app } = await owned(t)
  const { clientId } = await letIn('Claude', 'memory:read offline_access')
  const answer = await api('GET', '/api/clients')
  assert.equal(answer.headers['cache-control'], 'no-store')
  const { items, total, next } = answer.json()
  assert.deepEqual([total, next], [1, null])
  const [{ createdAt, ...row }] = items
  assert.match(createdAt, TIME)
  assert.deepEqual(row, {
    id: 1,
    client: { id: clientId, name: 'Claude', host: null },
    redirectHost: 'app.example',
    server: 'memory',
    serverName: 'Memory',
    scopes: [{ scope: 'memory:read', sentence: 'Read what is in Memory, and change nothing.' }],
    lastUsedAt: null,
  })
  const consents = (await api('GET', '/api/clients/consents')).json()
  assert.deepEqual(
    [consents.total, consents.items[0].servers, consents.items[0].client.name],
    [1, ['memory'], 'Claude'],
  )
  const registered = (await api('GET', '/api/clients/registered')).json()
  assert.deepEqual([registered.items[0].origin, registered.items[0].redirectHosts], ['registered', ['app.example']])
  assert.match(registered.items[0].lastUsedAt, TIME)
  assert.doesNotMatch(JSON.stringify([items, consents, registered]), /grant|hash|secret|payload/i)
  assert.deepEqual(app.authorizations.list().length, 1)
})

test('one is revoked, all are, and what is gone is a problem', { timeout }, async (t) => {
  const { api, letIn, app } = await owned(t)
  const one = await letIn('One', 'memory:read', LOOPBACK)
  await letIn('Two', 'memory:read')
  await letIn('Three', 'memory:read')
  const gone = await api('DELETE', '/api/clients/1')
  assert.deepEqual([gone.statusCode, gone.body], [204, ''])
  assert.throws(() => app.tokens.verify(one.access))
  const again = await api('DELETE', '/api/clients/1')
  assert.match(String(again.headers['content-type']), /^application\/problem\+json/)
  assert.deepEqual([again.statusCode, again.json().code], [404, 'AUTHORIZATION_MISSING'])
  const [{ key }] = (await api('GET', '/api/clients/consents')).json().items
  assert.equal((await api('DELETE', `/api/clients/consents/${key}`)).statusCode, 204)
  assert.equal((await api('DELETE', `/api/clients/consents/${key}`)).json().code, 'CONSENT_MISSING')
  assert.deepEqual((await api('DELETE', '/api/clients/consents')).json(), { forgotten: 1 })
  assert.deepEqual((await api('DELETE', '/api/clients')).json(), { revoked: 2 })
  assert.deepEqual((await api('DELETE', '/api/clients')).json(), { revoked: 0 })
  const [{ key: client }] = (await api('GET', '/api/clients/registered')).json().items
  assert.equal((await api('DELETE', `/api/clients/registered/${client}`)).statusCode, 204)
  assert.equal((await api('DELETE', `/api/clients/registered/${client}`)).json().code, 'CLIENT_MISSING')
  assert.equal((await api('GET', '/api/clients/registered')).json().total, 2)
})

test('lists come in parts, and a bad question is a problem that names the field', { timeout }, async (t) => {
  const { api, app } = await owned(t)
  for (const name of ['a', 'b', 'c', 'd']) await app.tokens.create({ name })
  const names: string[] = []
  let cursor = ''
  for (let turn = 0; turn < 5; turn++) {
    const { items, next, total } = (await api('GET', `/api/tokens?limit=2${cursor}`)).json()
    assert.equal(total, 5)
    names.push(...items.map(({ name }: { name: string }) => name))
    if (next === null) break
    cursor = `&cursor=${next}`
  }
  assert.deepEqual(names.toSorted(), ['a', 'b', 'c', 'd', 'test'])
  for (const query of ['limit=0', 'limit=201', 'limit=x', 'cursor=x', 'cursor=1-%2F', `cursor=1-${'a'.repeat(99)}`]) {
    const answer = await api('GET', `/api/tokens?${query}`)
    assert.deepEqual([answer.statusCode, answer.json().code], [400, 'VALIDATION_FAILED'], query)
    assert.equal(answer.json().errors.length, 1)
  }
  for (const url of ['/api/clients/x', '/api/clients/0', '/api/clients/consents/x', '/api/clients/registered/..%2F'])
    assert.equal((await api('DELETE', url)).statusCode, 400, url)
})

test('a token is made once in clear, listed without its secret, and ended', { timeout }, async (t) => {
  const { api, app } = await owned(t)
  const made = await api('POST', '/api/tokens', { name: 'phone', scopes: ['memory:read'], expiresInDays: 7 })
  assert.deepEqual([made.statusCode, made.headers['cache-control']], [201, 'no-store'])
  const { token, expiresAt, ...rest } = made.json()
  assert.deepEqual(rest, { id: 2, name: 'phone', scopes: ['memory:read'] })
  assert.ok(Math.abs(Date.parse(expiresAt) - Date.now() - 7 * 86_400_000) < 60_000)
  assert.deepEqual(app.tokens.verify(token).caller.scopes, new Set(['memory:read']))
  const all = (await api('POST', '/api/tokens', { name: 'all', everything: true })).json()
  assert.deepEqual([all.scopes, all.expiresAt], [null, null])
  const list = await api('GET', '/api/tokens')
  assert.doesNotMatch(list.body, /crow_local_|hash/)
  assert.equal((await api('DELETE', '/api/tokens/2')).statusCode, 204)
  assert.throws(() => app.tokens.verify(token))
  assert.equal((await api('DELETE', '/api/tokens/2')).json().code, 'TOKEN_MISSING')
  assert.equal((await api('GET', '/api/tokens')).json().total, 2)
  const withRevoked = (await api('GET', '/api/tokens?revoked=true')).json()
  assert.deepEqual(
    withRevoked.items.filter(({ state }: { state: string }) => state === 'revoked').map(({ id }: { id: number }) => id),
    [2],
  )
  assert.deepEqual((await api('DELETE', '/api/tokens')).json(), { revoked: 2 })
})

test('no wish for a token is read as more than it says', { timeout }, async (t) => {
  const { api, app } = await owned(t)
  const wrong: [object, string][] = [
    [{ name: 'x' }, 'TOKEN_SCOPE_INVALID'],
    [{ name: 'x', scopes: [] }, 'TOKEN_SCOPE_INVALID'],
    [{ name: 'x', scopes: [''] }, 'TOKEN_SCOPE_INVALID'],
    [{ name: 'x', scopes: null }, 'TOKEN_SCOPE_INVALID'],
    [{ name: 'x', scopes: ['everything'] }, 'TOKEN_SCOPE_INVALID'],
    [{ name: 'x', scopes: ['memory'], everything: true }, 'TOKEN_SCOPE_INVALID'],
    [{ name: 'x', everything: 'yes' }, 'VALIDATION_FAILED'],
    [{ name: 'x', scopes: ['memory'], expiresInDays: 0 }, 'VALIDATION_FAILED'],
    [{ name: 'x', scopes: ['memory'], expiresInDays: null }, 'VALIDATION_FAILED'],
    [{ name: 'x', scopes: ['memory'], expires: 7 }, 'VALIDATION_FAILED'],
    [{ scopes: ['memory'] }, 'VALIDATION_FAILED'],
    [{ name: '7', scopes: ['memory'] }, 'TOKEN_NAME_INVALID'],
    [{ name: 'test', scopes: ['memory'] }, 'TOKEN_NAME_TAKEN'],
  ]
  for (const [body, code] of wrong) {
    const answer = await api('POST', '/api/tokens', body)
    assert.equal(answer.json().code, code, JSON.stringify(body))
  }
  assert.equal(app.tokens.list().length, 1)
})

test('a name is told inert, to programs and in the trail too', { timeout }, async (t) => {
  const { api, letIn, app } = await owned(t)
  await letIn('\u001B[2JEvil\nname\u202E\u200B', 'memory:read')
  const [consent] = (await api('GET', '/api/clients/consents')).json().items
  const [client] = (await api('GET', '/api/clients/registered')).json().items
  assert.deepEqual([consent.client.name, client.client.name], ['[2JEvil name', '[2JEvil name'])
  await api('DELETE', `/api/clients/consents/${consent.key}`)
  await api('DELETE', `/api/clients/registered/${client.key}`)
  await app.audit.flush()
  const told = app.database.sqlite.prepare("select client from audit where tool like '%_forget'").pluck().all()
  assert.deepEqual(told, ['[2JEvil name', '[2JEvil name'])
})
