// Destroying something: the person is asked where the client can ask, in both eras; otherwise a second call confirms.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { at, call, modern, open, openSession, rpc } from '../../fixtures/rpc.ts'
import { startApp } from '../../fixtures/running-app.ts'
import { wireServer } from '../../fixtures/wire-server.ts'

const TIMEOUT = { timeout: 30_000 }
const PATH = '/wire/mcp'
const ELICITS = { elicitation: {} }

async function start(t: TestContext, env: Record<string, string> = {}) {
  const wire = wireServer()
  const running = await startApp(env, { servers: [wire.definition] })
  t.after(() => running.close())
  return { wire, running }
}

const forget = (id: number, more: object = {}) => ({ name: 'forget', arguments: { id }, ...more })

function accepted(question: unknown): object {
  const schema = at(question, 'params.requestedSchema.properties')
  const keys = typeof schema === 'object' && schema !== null ? Object.keys(schema) : []
  return { action: 'accept', content: Object.fromEntries(keys.map((key) => [key, true])) }
}

test(
  'a 2026 client that can ask gets the question, answers it with the state, and the deed is done once',
  TIMEOUT,
  async (t) => {
    const { running, wire } = await start(t)
    const first = await rpc(running, { path: PATH, ...modern('tools/call', forget(1), { capabilities: ELICITS }) })
    assert.equal(at(first.messages[0], 'result.resultType'), 'input_required')
    assert.deepEqual(wire.forgotten, [])
    const question = at(first.messages[0], 'result.inputRequests.confirm')
    assert.equal(at(question, 'method'), 'elicitation/create')
    assert.match(String(at(question, 'params.message')), /Item 1 will be forgotten/)
    const requestState = at(first.messages[0], 'result.requestState')
    const retry = { ...forget(1), inputResponses: { confirm: accepted(question) }, requestState }
    const done = await rpc(running, { path: PATH, ...modern('tools/call', retry, { capabilities: ELICITS, id: 2 }) })
    assert.equal(at(done.messages[0], 'result.content.0.text'), 'forgot 1')
    assert.deepEqual(wire.forgotten, [1])
  },
)

test(
  'a state that was altered, belongs to another item or to another caller is refused as a protocol error',
  TIMEOUT,
  async (t) => {
    const { running, wire } = await start(t)
    const first = await rpc(running, { path: PATH, ...modern('tools/call', forget(1), { capabilities: ELICITS }) })
    const requestState = String(at(first.messages[0], 'result.requestState'))
    const inputResponses = { confirm: accepted(at(first.messages[0], 'result.inputRequests.confirm')) }
    const { secret } = await running.app.tokens.create({ name: 'other' })
    const other = { port: running.port, token: secret }
    const attempts = [
      [running, { ...forget(1), inputResponses, requestState: `${requestState}x` }],
      [running, { ...forget(2), inputResponses, requestState }],
      [other, { ...forget(1), inputResponses, requestState }],
    ] as const
    for (const [who, params] of attempts) {
      const answer = await rpc(who, { path: PATH, ...modern('tools/call', params, { capabilities: ELICITS }) })
      assert.equal(answer.status, 200)
      assert.equal(at(answer.messages[0], 'error.code'), -32602, answer.text)
      assert.match(String(at(answer.messages[0], 'error.message')), /Invalid or expired requestState/)
    }
    assert.deepEqual(wire.forgotten, [])
  },
)

test('a 2025 client that can ask is asked on the stream of its own call', TIMEOUT, async (t) => {
  const { running, wire } = await start(t)
  const session = await openSession(running, { path: PATH, capabilities: ELICITS })
  const stream = await open(running, { path: PATH, headers: session.headers, body: call('tools/call', forget(3), 'f') })
  const question = await stream.until((message) => at(message, 'method') === 'elicitation/create')
  assert.match(String(at(question, 'params.message')), /Item 3 will be forgotten/)
  const body = { jsonrpc: '2.0', id: at(question, 'id'), result: accepted(question) }
  assert.equal((await rpc(running, { path: PATH, headers: session.headers, body })).status, 202)
  const done = await stream.until((message) => at(message, 'id') === 'f')
  assert.equal(at(done, 'result.content.0.text'), 'forgot 3')
  assert.deepEqual(wire.forgotten, [3])
})

test('a person who declines keeps the item, in both eras', TIMEOUT, async (t) => {
  const { running, wire } = await start(t)
  const session = await openSession(running, { path: PATH, capabilities: ELICITS })
  const stream = await open(running, { path: PATH, headers: session.headers, body: call('tools/call', forget(4), 'f') })
  const question = await stream.until((message) => at(message, 'method') === 'elicitation/create')
  await rpc(running, {
    path: PATH,
    headers: session.headers,
    body: { jsonrpc: '2.0', id: at(question, 'id'), result: { action: 'decline' } },
  })
  assert.equal(at(await stream.until((message) => at(message, 'id') === 'f'), 'result.isError'), true)

  const first = await rpc(running, { path: PATH, ...modern('tools/call', forget(4), { capabilities: ELICITS }) })
  const requestState = at(first.messages[0], 'result.requestState')
  const retry = { ...forget(4), inputResponses: { confirm: { action: 'cancel' } }, requestState }
  const kept = await rpc(running, { path: PATH, ...modern('tools/call', retry, { capabilities: ELICITS }) })
  assert.equal(at(kept.messages[0], 'result.isError'), true)
  assert.deepEqual(wire.forgotten, [])
})

test(
  'a client that cannot ask, or cannot be reached while it waits, confirms with a second call',
  TIMEOUT,
  async (t) => {
    const { running, wire } = await start(t)
    const deaf = await openSession(running, { path: PATH, capabilities: ELICITS })
    const mute = await openSession(running, { path: PATH })
    const clients = [
      { headers: mute.headers, body: (params: object) => call('tools/call', params) },
      {
        headers: { ...deaf.headers, accept: 'application/json' },
        body: (params: object) => call('tools/call', params),
      },
    ]
    for (const { headers, body } of clients) {
      const first = await rpc(running, { path: PATH, headers, body: body(forget(5)) })
      const text = String(at(first.messages.at(-1), 'result.content.0.text'))
      const token = /confirm_token "([^"]+)"/.exec(text)?.[1]
      assert.ok(token, text)
      const params = { name: 'forget', arguments: { id: 5, confirm_token: token } }
      const done = await rpc(running, { path: PATH, headers, body: body(params) })
      assert.equal(at(done.messages.at(-1), 'result.content.0.text'), 'forgot 5', done.text)
    }
    assert.deepEqual(wire.forgotten, [5, 5])
  },
)

test('with confirmation by token only, nobody is asked', TIMEOUT, async (t) => {
  const { running, wire } = await start(t, { CROW_CONFIRM: 'token' })
  const answer = await rpc(running, { path: PATH, ...modern('tools/call', forget(6), { capabilities: ELICITS }) })
  assert.equal(at(answer.messages[0], 'result.resultType'), 'complete')
  assert.match(answer.text, /confirm_token/)
  assert.deepEqual(wire.forgotten, [])
})
