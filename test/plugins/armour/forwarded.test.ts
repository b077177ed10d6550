// Whose budget a request is charged to when it says where it comes from: nobody chooses their own address.
import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { test } from 'node:test'
import { at, call, rpc } from '../../fixtures/rpc.ts'
import { addOwner } from '../../fixtures/owner.ts'
import { startApp } from '../../fixtures/running-app.ts'

const timeout = 30_000
const LIMIT = 20
const PATH = '/memory/mcp'

const anywhere = (): string => [1, 2, 3, 4].map(() => randomInt(1, 255)).join('.')

function knock(to: { port: number; token: string }, forwarded: string) {
  const headers = { authorization: undefined, 'x-forwarded-for': forwarded, forwarded: `for=${anywhere()}` }
  return rpc(to, { path: PATH, headers, body: call('ping') })
}

test('without a proxy a made-up address is not looked at', { timeout }, async (t) => {
  const running = await startApp({ CROW_LIMIT_STRANGER: String(LIMIT) })
  t.after(() => running.close())
  for (let request = 1; request <= LIMIT + 5; request++) {
    const answer = await knock(running, anywhere())
    assert.equal(answer.status, request <= LIMIT ? 401 : 429, `request ${request}`)
    if (answer.status !== 429) continue
    assert.ok(Number(answer.headers['retry-after']) > 0)
    assert.equal(at(answer.messages[0], 'error.data.code'), 'LIMITED')
  }
})

test(
  'behind a proxy that appends, the address it saw counts, whatever was written before it',
  { timeout },
  async (t) => {
    const running = await startApp({
      CROW_LIMIT_STRANGER: String(LIMIT),
      CROW_TRUSTED_PROXIES: '127.0.0.1',
      CROW_GATEWAY_URL: 'https://gw.example',
    })
    t.after(() => running.close())
    await addOwner(running.app.database)
    for (let request = 1; request <= LIMIT + 5; request++) {
      const answer = await knock(running, `${anywhere()}, 203.0.113.1`)
      assert.equal(answer.status, request <= LIMIT ? 401 : 429, `request ${request}`)
    }
    assert.equal((await knock(running, `${anywhere()}, 203.0.113.9`)).status, 401)
  },
)
