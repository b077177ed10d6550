// A gateway that other machines can reach and that has no owner yet: it tells that it is there, and takes a password. No more.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { addOwner } from '../../fixtures/owner.ts'
import { startApp } from '../../fixtures/running-app.ts'

const timeout = 60_000

async function start(t: TestContext, env: Record<string, string>) {
  const running = await startApp(env)
  t.after(() => running.close())
  const statusOf = async (method: 'GET' | 'POST', url: string) => {
    const answer = await running.app.inject({
      method,
      url,
      headers: { authorization: `Bearer ${running.token}`, host: '127.0.0.1' },
    })
    return { status: answer.statusCode, body: answer.body }
  }
  return { ...running, statusOf }
}

test('without an owner, an exposed gateway serves health and nothing else, whoever asks', { timeout }, async (t) => {
  for (const env of [
    { CROW_GATEWAY_URL: 'https://crow.example' },
    { CROW_GATEWAY_URL: 'http://192.168.7.1:3001', CROW_GATEWAY_BIND: '0.0.0.0' },
  ]) {
    const { app, statusOf } = await start(t, env)
    assert.equal((await statusOf('GET', '/health')).status, 200)
    assert.match((await statusOf('GET', '/setup')).body, /<form/)
    const served = new Set(app.routeTable.filter(({ path }) => !/^\/(health|setup|assets)\b/.test(path)))
    assert.ok(served.size > 0)
    for (const { method, path } of served) {
      if (method !== 'GET' && method !== 'POST') continue
      const { status, body } = await statusOf(method, path)
      assert.equal(status, 503, `${method} ${path}`)
      assert.match(body, /no owner yet/, `${method} ${path}`)
    }
    assert.match((await statusOf('GET', '/nothing')).body, /SETUP_REQUIRED/)
  }
})

test('the owner opens it without a restart', { timeout }, async (t) => {
  const { app, statusOf } = await start(t, { CROW_GATEWAY_URL: 'https://crow.example' })
  assert.equal((await statusOf('GET', '/nothing')).status, 503)
  await addOwner(app.database)
  assert.equal((await statusOf('GET', '/nothing')).status, 404)
})

test('a gateway that only this machine can reach needs no owner', { timeout }, async (t) => {
  const { statusOf } = await start(t, {})
  assert.equal((await statusOf('GET', '/nothing')).status, 404)
})
