// What one HTTP request costs when it holds several messages.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { at, call, openSession, rpc } from '../../fixtures/rpc.ts'
import { startApp } from '../../fixtures/running-app.ts'
import { wireServer } from '../../fixtures/wire-server.ts'

const timeout = 30_000
const path = '/wire/mcp'

const pings = (count: number) => Array.from({ length: count }, (_, id) => call('ping', undefined, id))

for (const [door, env] of [
  ['a token', {}],
  ['no token', { CROW_NO_AUTH: '1' }],
] as const) {
  test(`with ${door}, a batch costs as much as its messages would one by one`, { timeout }, async (t) => {
    // 7 a minute are 105 in a window: 2 open the session, 100 are the first batch, 3 are left.
    const running = await startApp({ CROW_LIMIT_PRINCIPAL: '7', ...env }, { servers: [wireServer().definition] })
    t.after(() => running.close())
    const { headers } = await openSession(running, { path })
    const first = await rpc(running, { path, headers, body: pings(100) })
    assert.equal(first.status, 200)
    const second = await rpc(running, { path, headers, body: pings(2) })
    assert.equal(second.status, 200)
    const spent = await rpc(running, { path, headers, body: pings(2) })
    assert.equal(spent.status, 429)
    assert.equal(at(spent.messages[0], 'error.data.code'), 'LIMITED')
    assert.ok(Number(spent.headers['retry-after']) > 0)
    assert.equal((await rpc(running, { path, headers, body: call('ping') })).status, 429)
  })
}

test('a batch that is too long is refused for the price of one request', { timeout }, async (t) => {
  const running = await startApp({ CROW_LIMIT_PRINCIPAL: '1' }, { servers: [wireServer().definition] })
  t.after(() => running.close())
  const { headers } = await openSession(running, { path })
  assert.equal((await rpc(running, { path, headers, body: pings(101) })).status, 400)
  assert.equal((await rpc(running, { path, headers, body: call('ping') })).status, 200)
})
