import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { test } from 'node:test'
import { open, openSession, rpc, call } from '../../fixtures/rpc.ts'
import { PASSWORD } from '../../fixtures/sign-in.ts'
import { connect, LOOPBACK, newClient } from '../../plugins/oauth/client.ts'
import { crow, scratchFolder, serve } from './crow.ts'

const timeout = 120_000
const path = '/memory/mcp'

test('without clients there is nothing to list or to revoke', { timeout }, async (t) => {
  const home = scratchFolder(t)
  const clients = async (...args: string[]) => await crow({ home }, ['clients', ...args])
  assert.equal((await clients('list')).out, 'No client is connected.\n')
  assert.equal((await clients('list', '--json')).out, '[]\n')
  assert.equal((await clients('revoke', '--all')).out, '0 clients are disconnected.\n')
  const none = await clients('revoke', '7')
  assert.deepEqual([none.status, /no connected client with number 7/.test(none.err)], [1, true])
  for (const wrong of [['revoke'], ['revoke', 'x'], ['revoke', '1', '--all'], ['list', '1']])
    assert.equal((await clients(...wrong)).status, 2, wrong.join(' '))
})

test('a client made by hand connects with its secret once the owner consents', { timeout }, async (t) => {
  const home = scratchFolder(t)
  await crow({ home }, ['operator', 'password'], PASSWORD)
  const add = async (args: string[], input?: string) => await crow({ home }, ['clients', 'add', ...args], input)
  const redirect = ['--redirect', LOOPBACK]
  const made = await add(['Desk', ...redirect, '--secret', 'make', '--json'])
  assert.equal(made.status, 0, made.err)
  const { id, secret }: { id: string; secret: string } = JSON.parse(made.out)
  const own = await add(['Own', ...redirect, '--id', 'own id', '--secret', 'stdin'], 'p/a+b:c%=e\n')
  assert.deepEqual([own.status, own.out], [0, 'id own id\n'], own.err)
  const { port } = await serve(t, { home })
  const running = { origin: `http://127.0.0.1:${port}` }
  const at = { scope: 'memory:read', resource: `${running.origin}${path}` }
  const first = await connect(running, id, { at, exchange: { client_secret: secret } })
  assert.equal(first.answer.status, 200, JSON.stringify(first.answer.body))
  const second = await connect(running, 'own id', {
    at,
    browser: first.browser,
    exchange: { client_secret: 'p/a+b:c%=e' },
  })
  assert.equal(second.answer.status, 200, JSON.stringify(second.answer.body))
  const refusals: readonly (readonly [args: string[], input: string | undefined, status: number, why: RegExp])[] = [
    [['Own', ...redirect, '--id', 'own id'], undefined, 1, /already a client/],
    [['Other', ...redirect, '--secret', 'stdin'], 'geheimnisß-ü-1\n', 1, /printable ASCII/],
    [['Other', '--redirect', 'http://other.example/callback'], undefined, 1, /loopback/],
    [['Other', ...redirect, '--secret', 'stdin'], '', 2, /no secret on stdin/],
    [['Other', ...redirect, '--secret', 'p/a+b:c%=e'], undefined, 2, /make or stdin/],
    [['Other'], undefined, 2, /--redirect/],
  ]
  for (const [args, input, status, why] of refusals) {
    const refused = await add(args, input)
    assert.equal(refused.status, status, refused.err)
    assert.match(refused.err, why)
  }
  const trail = await crow({ home }, ['audit', '--tool', 'client_register', '--json'])
  assert.match(trail.out, /"caller":"cli".*"subject":"client:own id"/)
  assert.ok(!trail.out.includes(secret))
})

test('what the terminal revokes, the running gateway ends within a second', { timeout }, async (t) => {
  const home = scratchFolder(t)
  await crow({ home }, ['operator', 'password'], PASSWORD)
  const { port } = await serve(t, { home })
  const running = { origin: `http://127.0.0.1:${port}` }
  const clientId = await newClient(running, undefined, { client_name: 'Cla\u202eude' })
  const at = { scope: 'memory:read', resource: `${running.origin}${path}` }
  const first = await connect(running, clientId, { at })
  assert.equal(first.answer.status, 200, JSON.stringify(first.answer.body))
  const second = await connect(running, clientId, { at, browser: first.browser })
  const list = await crow({ home }, ['clients', 'list', '--json'])
  assert.equal(list.err, '')
  const rows: Record<string, unknown>[] = JSON.parse(list.out)
  assert.deepEqual(
    rows.map(({ id, client, redirectHost, server, scopes }) => [id, client, redirectHost, server, scopes]),
    [2, 1].map((id) => [id, 'Cla ude', '127.0.0.1', 'memory', ['memory:read']]),
  )
  assert.match((await crow({ home }, ['clients', 'list'])).out, /^id +client +comes from +server/)
  const kept = ['crow.db', 'crow.db-wal'].map((name) => readFileSync(join(home, '.local/share/crow', name), 'latin1'))
  assert.ok(kept.join('').includes(clientId))
  for (const secret of [first.access, first.refresh, second.access, second.refresh])
    assert.ok(secret !== '' && !kept.join('').includes(secret.slice(-30)), 'no token is on the disk in clear')
  const to = { port, token: first.access }
  const session = await openSession(to, { path })
  const stream = await open(to, { method: 'GET', path, headers: { ...session.headers, accept: 'text/event-stream' } })
  const ask = async (token: string) => (await rpc({ port, token }, { path, body: call('ping') })).status
  const done = await crow({ home }, ['clients', 'revoke', '1', '--json'])
  assert.deepEqual([done.status, done.out], [0, '{"revoked":1}\n'])
  await Promise.race([
    stream.ended,
    delay(1000, undefined, { ref: false }).then(() => assert.fail('the stream is still open')),
  ])
  assert.equal(await ask(first.access), 401)
  assert.notEqual(await ask(second.access), 401)
  assert.equal((await crow({ home }, ['clients', 'revoke', '--all'])).out, '1 client is disconnected.\n')
  const trail = await crow({ home }, ['audit', '--tool', 'authorization_revoke', '--json'])
  const events: Record<string, unknown>[] = trail.out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  assert.deepEqual(
    events.map(({ caller, subject }) => [caller, subject]),
    [
      ['cli', 'oauth:all'],
      ['cli', 'oauth:1'],
    ],
  )
})
