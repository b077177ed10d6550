// The page of connected clients, as its owner uses it on a browser without script.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { modern, rpc } from '../../fixtures/rpc.ts'
import { problemOn } from '../login/browser.ts'
import { fieldsOf, owned } from './connected.ts'

const timeout = 60_000

test(
  'nobody but the owner sees the page, and it changes nothing for a page of another site',
  { timeout },
  async (t) => {
    const { app, owner, token } = await owned(t)
    const stranger = await app.inject({ url: '/clients', headers: { authorization: `Bearer ${token}` } })
    assert.deepEqual([stranger.statusCode, stranger.headers.location], [303, '/login?next=%2Fclients'])
    const foreign = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
    for (const path of ['/clients/revoke-all', '/clients/tokens', '/clients/tokens/revoke-all']) {
      const answer = await owner.post(path, { name: 'x', everything: 'true', days: '0', client: '' }, foreign)
      assert.equal(answer.statusCode, 403, path)
    }
    assert.deepEqual(
      app.tokens.list().map(({ name, state }) => [name, state]),
      [['test', 'live']],
    )
  },
)

test('a client is listed by its inert name, its redirect, its server and what it may do', { timeout }, async (t) => {
  const { owner, letIn, app } = await owned(t)
  await letIn('Cla\u202eude <b>', 'memory memory:read offline_access')
  const page = await owner.get('/clients')
  assert.equal(page.statusCode, 200)
  assert.equal(page.headers['cache-control'], 'no-store')
  const row = /<ul class="rows">([^]*?)<\/ul>\s*<p class="hint">([^]*?)<\/p>/.exec(page.body)
  const text = row?.[0].replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ') ?? ''
  assert.match(text, /Cla ude &lt;b&gt;.*Memory, by way of app\.example/)
  assert.match(text, /Read, write and delete what is in Memory\. Since .* UTC ?, not used yet/)
  assert.doesNotMatch(text, /change nothing|offline/, 'what is covered already is not said again')
  assert.match((await owner.get('/account')).body, /<a href="\/clients"\s*>Connected clients<\/a>/)
  const [id = ''] = fieldsOf(page.body, '/clients/revoke')
  const done = await owner.post('/clients/revoke', { id })
  assert.deepEqual([done.statusCode, done.headers.location], [303, '/clients?done=client'])
  assert.match((await owner.get('/clients?done=client')).body, /That client is disconnected\./)
  const again = await owner.post('/clients/revoke', { id })
  assert.deepEqual([again.statusCode, problemOn(again)], [404, `There is no connected client with number ${id}.`])
  assert.deepEqual(app.authorizations.list(), [])
  assert.doesNotMatch((await owner.get('/clients?done=constructor')).body, /role="status"/)
})

test('a use is on the page and in the API at once, before it is written', { timeout }, async (t) => {
  const { owner, letIn, api, port, token } = await owned(t)
  const { access } = await letIn('Claude', 'memory')
  assert.match((await owner.get('/clients')).body, /not used yet/)
  for (const used of [access, token]) {
    const answer = await rpc({ port, token: used }, { path: '/memory/mcp', ...modern('tools/list') })
    assert.equal(answer.status, 200)
  }
  const page = (await owner.get('/clients')).body
  assert.equal(page.match(/, last used <time/g)?.length, 2)
  assert.doesNotMatch(page, /not used yet/)
  for (const path of ['/api/clients', '/api/tokens'])
    assert.match((await api('GET', path)).json().items[0].lastUsedAt, /^\d{4}-/, path)
})

test('all clients are disconnected at once, and have to ask again', { timeout }, async (t) => {
  const { owner, letIn, app } = await owned(t)
  await letIn('One', 'memory:read')
  await letIn('Two', 'memory:read')
  assert.equal(app.knownClients.consents().length, 2)
  assert.equal((await owner.post('/clients/revoke-all')).headers.location, '/clients?done=clients')
  assert.deepEqual([app.authorizations.list(), app.knownClients.consents()], [[], []])
})

test('a remembered consent is forgotten without ending what is connected', { timeout }, async (t) => {
  const { owner, letIn, app } = await owned(t)
  await letIn('One', 'memory:read')
  await letIn('Two', 'memory:read')
  const keys = fieldsOf((await owner.get('/clients')).body, '/clients/consents/forget')
  assert.equal(keys.length, 2)
  await owner.post('/clients/consents/forget', { key: keys[0] ?? '' })
  const left = fieldsOf((await owner.get('/clients')).body, '/clients/consents/forget')
  assert.deepEqual(left, keys.slice(1))
  assert.equal((await owner.post('/clients/consents/forget', { key: keys[0] ?? '' })).statusCode, 404)
  await owner.post('/clients/consents/forget-all')
  assert.deepEqual(app.knownClients.consents(), [])
  assert.equal(app.authorizations.list().length, 2)
})

test('a registration is forgotten together with whatever its client held', { timeout }, async (t) => {
  const { owner, letIn, app } = await owned(t)
  const { access } = await letIn('One', 'memory:read')
  const other = await letIn('Two', 'memory:read')
  const body = (await owner.get('/clients')).body
  assert.match(body, /let in <time/)
  const key = app.knownClients.list().find(({ name }) => name === 'One')?.key ?? ''
  assert.ok(fieldsOf(body, '/clients/registered/forget').includes(key))
  await owner.post('/clients/registered/forget', { key })
  assert.throws(() => app.tokens.verify(access), /unknown, expired or revoked/)
  assert.ok(app.tokens.verify(other.access))
  assert.deepEqual(
    app.knownClients.list().map(({ name }) => name),
    ['Two'],
  )
  assert.equal(app.knownClients.consents().length, 1)
  assert.equal((await owner.post('/clients/registered/forget', { key })).statusCode, 404)
})

test('a long list is shown a part at a time', { timeout }, async (t) => {
  const { owner, app } = await owned(t)
  for (let number = 1; number <= 60; number++) await app.tokens.create({ name: `token ${number}` })
  const seen: string[] = []
  let path: string | undefined = '/clients'
  for (let turn = 0; turn < 5 && path !== undefined; turn++) {
    const { body } = await owner.get(path)
    seen.push(...fieldsOf(body, '/clients/tokens/revoke'))
    path = /<a class="button quiet" href="(\/clients\?tokens=[\w-]+)#tokens-title">/.exec(body)?.[1]
  }
  assert.equal(seen.length, 61)
  assert.equal(new Set(seen).size, 61)
})
