// Local tokens on the page: made with a name, scopes and an end, shown this once, revoked.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PASSWORD } from '../../fixtures/sign-in.ts'
import { Browser, problemOn } from '../login/browser.ts'
import { owned } from './connected.ts'

const timeout = 60_000
const SECRET = /crow_local_[\w-]{43}/
const wish = { name: 'phone', scope: 'memory:read', days: '30', client: 'cursor' }

test('a new token is shown once, never in an address, with what its client needs', { timeout }, async (t) => {
  const { app, owner, origin } = await owned(t)
  const made = await owner.post('/clients/tokens', wish)
  assert.deepEqual([made.statusCode, made.headers.location], [303, '/clients/tokens/new'])
  assert.doesNotMatch(made.body, SECRET)
  const page = await owner.get('/clients/tokens/new')
  assert.equal(page.headers['cache-control'], 'no-store')
  const secret = SECRET.exec(page.body)?.[0] ?? ''
  assert.deepEqual(app.tokens.verify(secret).caller.scopes, new Set(['memory:read']))
  const snippet = /<h2 id="snippet-title">For Cursor<\/h2>[^]*?<code>(\{[^]*?)<\/code>/.exec(page.body)?.[1] ?? ''
  assert.deepEqual(JSON.parse(snippet.replaceAll('&quot;', '"')), {
    mcpServers: { crow: { url: `${origin}/memory/mcp`, headers: { Authorization: `Bearer ${secret}` } } },
  })
  const again = await owner.get('/clients/tokens/new')
  assert.deepEqual([again.statusCode, again.headers.location], [303, '/clients'])
  assert.doesNotMatch((await owner.get('/clients')).body, SECRET)
  const row = app.tokens.list().find(({ name }) => name === 'phone')
  const lastsMs = (row?.expiresAt ?? 0) - (row?.createdAt ?? 0)
  assert.ok(Math.abs(lastsMs - 30 * 86_400_000) < 1000)
})

test('each client gets its own words, and another one the address and the header', { timeout }, async (t) => {
  const { owner, origin } = await owned(t)
  const pageFor = async (client: string, more = {}): Promise<string> => {
    await owner.post('/clients/tokens', { ...wish, ...more, name: `for ${client}`, client })
    return (await owner.get('/clients/tokens/new')).body
  }
  assert.match(await pageFor('claude-code'), /claude mcp add .* crow http:\S+\/memory\/mcp --header &quot;Auth/)
  assert.match(await pageFor('vscode'), /Put this into <code>mcp\.json<\/code>/)
  const plain = await pageFor('')
  assert.ok(plain.includes(`${origin}/memory/mcp`))
  assert.match(plain, /Authorization: Bearer crow_local_/)
  assert.doesNotMatch(plain, /snippet-title/)
  assert.doesNotMatch(await pageFor('no-such-client'), /snippet-title/)
  const none = await pageFor('cursor', { scope: 'introspect' })
  assert.doesNotMatch(none, /snippet-title|\/memory\/mcp/, 'it opens no server')
})

test('another session of the owner does not see the secret', { timeout }, async (t) => {
  const { app, owner } = await owned(t)
  const other = new Browser(app, { host: owner.host })
  const answer = await other.post('/login', { password: PASSWORD })
  assert.equal(answer.statusCode, 303, problemOn(answer))
  await owner.post('/clients/tokens', wish)
  assert.equal((await other.get('/clients/tokens/new')).headers.location, '/clients')
  assert.match((await owner.get('/clients/tokens/new')).body, SECRET)
})

test('a wish that cannot be met keeps what was typed and says why', { timeout }, async (t) => {
  const { app, owner } = await owned(t)
  const refusal = async (more: Record<string, string>) => {
    const answer = await owner.post('/clients/tokens', { ...wish, ...more })
    return [answer.statusCode, problemOn(answer), answer.body] as const
  }
  const [taken, why, body] = await refusal({ name: 'test', days: '365' })
  assert.deepEqual([taken, /already a live token named "test"|&quot;test&quot;/.test(why)], [409, true])
  assert.match(body, /value="test"[^]*aria-describedby="token-name-hint problem"[^]*aria-invalid="true"/)
  assert.match(body, /<option value="365" selected>/)
  assert.match(body, /<option value="cursor" selected>/)
  assert.match(body, /value="memory:read"\s+checked/)
  assert.equal((await refusal({ name: '12' }))[0], 400)
  assert.equal((await refusal({ name: '   ' }))[0], 400)
  const [status, told, page] = await refusal({ scope: 'nope' })
  assert.deepEqual([status, /no scope.*nope.*memory, memory:read/.test(told)], [400, true])
  assert.match(page, /<fieldset class="field"\s+aria-describedby="problem"/)
  const { scope: _scope, ...noScope } = wish
  const nothing = await owner.post('/clients/tokens', noScope)
  assert.deepEqual([nothing.statusCode, problemOn(nothing)], [400, 'Say what the token may do: one scope at least.'])
  assert.equal((await refusal({ days: '-1' }))[0], 400)
  assert.equal(app.tokens.list().length, 1)
})

test('a token for everything stays one whatever else is ticked, and lasts if asked to', { timeout }, async (t) => {
  const { app, owner } = await owned(t)
  await owner.post('/clients/tokens', { ...wish, everything: 'true', days: '0' })
  const row = app.tokens.list().find(({ name }) => name === 'phone')
  assert.deepEqual([row?.scopes, row?.expiresAt], [null, null])
  const page = await owner.get('/clients')
  assert.match(page.body, /<bdi>phone<\/bdi>[^]*Everything, also on servers that come later\.[^]*does not expire/)
})

test('a token is revoked, and all of them', { timeout }, async (t) => {
  const { app, owner, token, origin } = await owned(t)
  const ask = async (): Promise<number> =>
    (await fetch(`${origin}/memory/mcp`, { headers: { authorization: `Bearer ${token}`, connection: 'close' } })).status
  assert.notEqual(await ask(), 401)
  assert.equal((await owner.post('/clients/tokens/revoke', { id: '1' })).headers.location, '/clients?done=token')
  assert.equal(await ask(), 401)
  assert.equal((await owner.post('/clients/tokens/revoke', { id: '1' })).statusCode, 404)
  await app.tokens.create({ name: 'a' })
  await app.tokens.create({ name: 'b' })
  assert.equal((await owner.post('/clients/tokens/revoke-all')).headers.location, '/clients?done=tokens')
  assert.ok(app.tokens.list().every(({ state }) => state === 'revoked'))
})
