// What a token does not cover is refused before anything runs, with the scope to come back with.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { at, call, modern, openSession, rpc, type Received } from '../../fixtures/rpc.ts'
import { startApp } from '../../fixtures/running-app.ts'

const timeout = 30_000
const PATH = '/memory/mcp'
const READ = 'crow_memory_stats'
const WRITE = 'crow_store_memory'
const DESTROY = 'crow_delete_memory'

async function start(t: TestContext, scopes: readonly string[]) {
  const running = await startApp()
  t.after(() => running.close())
  const { secret } = await running.app.tokens.create({ name: 'scoped', scopes })
  return { running, to: { port: running.port, token: secret } }
}

const challengeIn = ({ headers }: Received): string => headers['www-authenticate'] ?? ''
const modernCall = (name: string, args: object) => ({ path: PATH, ...modern('tools/call', { name, arguments: args }) })

/** Asserts a 403 that names what is missing and where to ask for it. */
function assertRefused(answer: Received, scope: string, port: number): void {
  assert.equal(answer.status, 403)
  assert.match(challengeIn(answer), /^Bearer realm="crow", error="insufficient_scope"/)
  assert.match(challengeIn(answer), new RegExp(`scope="${scope}"`))
  const document = `http://127.0.0.1:${port}/.well-known/oauth-protected-resource/memory/mcp`
  assert.ok(challengeIn(answer).includes(`resource_metadata="${document}"`), challengeIn(answer))
  assert.equal(at(answer.messages[0], 'error.data.code'), 'SCOPE_INSUFFICIENT')
  assert.equal(at(answer.messages[0], 'error.data.scope'), scope)
}

test(
  'with read access, lists show what reads, reading works, and writing is 403 with the scope to ask for',
  { timeout },
  async (t) => {
    const { running, to } = await start(t, ['memory:read'])
    const list = await rpc(to, { path: PATH, ...modern('tools/list') })
    const names = JSON.stringify(at(list.messages[0], 'result.tools'))
    assert.ok(names.includes(READ) && !names.includes(WRITE))
    assert.equal((await rpc(to, modernCall(READ, {}))).status, 200)
    for (const [name, args] of [
      [WRITE, { content: 'not allowed' }],
      [DESTROY, { id: 1 }],
      ['store_memory', { content: 'not allowed' }],
    ] as const)
      assertRefused(await rpc(to, modernCall(name, args)), 'memory', running.port)
    const owner = await rpc(running, modernCall(READ, {}))
    assert.match(JSON.stringify(owner.messages[0]), /\b0 memories|memories: 0|No memories/i)
  },
)

test('inside a session, and in a batch of it, the same holds', { timeout }, async (t) => {
  const { running, to } = await start(t, ['memory:read'])
  const { headers } = await openSession(to, { path: PATH })
  const send = (body: unknown) => rpc(to, { path: PATH, headers, body })
  const write = call('tools/call', { name: WRITE, arguments: { content: 'not allowed' } })
  assert.equal((await send(call('tools/call', { name: READ, arguments: {} }))).status, 200)
  assertRefused(await send(write), 'memory', running.port)
  assertRefused(await send([call('tools/call', { name: READ, arguments: {} }), write]), 'memory', running.port)
})

test('without access to a server nothing of it is told, not even by opening a session', { timeout }, async (t) => {
  const { running, to } = await start(t, ['other'])
  const initialize = call('initialize', {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'test', version: '1' },
  })
  for (const sent of [
    { path: PATH, body: initialize },
    { path: PATH, ...modern('tools/list') },
    { path: PATH, ...modern('server/discover') },
  ])
    assertRefused(await rpc(to, sent), 'memory:read', running.port)
})

test('an unknown tool is unknown, whoever asks', { timeout }, async (t) => {
  const { to } = await start(t, ['memory:read'])
  const answer = await rpc(to, modernCall('no_such_tool', {}))
  assert.deepEqual([answer.status, at(answer.messages[0], 'error.code')], [200, -32602])
})

test('a challenge leads to the document of the very URL that was called', { timeout }, async (t) => {
  const { running } = await start(t, ['memory'])
  for (const path of [PATH, '/mcp']) {
    const refused = await rpc({ port: running.port, token: 'wrong' }, { path, ...modern('tools/list') })
    assert.equal(refused.status, 401)
    const document = /resource_metadata="([^"]+)"/.exec(challengeIn(refused))?.[1] ?? ''
    assert.equal(document, `${running.origin}/.well-known/oauth-protected-resource${path}`)
    const metadata: unknown = await (await fetch(document)).json()
    assert.equal(at(metadata, 'resource'), running.origin + path)
  }
  for (const path of ['/memory', '']) {
    const refused = await rpc({ port: running.port, token: 'wrong' }, { path: `${path}/messages`, ...modern('ping') })
    const document = /resource_metadata="([^"]+)"/.exec(challengeIn(refused))?.[1] ?? ''
    const metadata: unknown = await (await fetch(document)).json()
    assert.equal(at(metadata, 'resource'), `${running.origin}${path}/sse`, 'messages are for the stream they go to')
  }
})
