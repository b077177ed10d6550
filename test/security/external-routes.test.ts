// Attacks that go around something: around the operator's limits by way of the router, and around the caller who was asked.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { asker, ERAS, namesOf, resultOf, ROUTER } from '../fixtures/external/app.ts'
import { composed, scripted } from '../fixtures/external/composed.ts'
import { at, call, modern, open, openSession, rpc, type Received, type Stream, type Target } from '../fixtures/rpc.ts'
import { received } from '../fixtures/upstream/fake-record.ts'
import { until } from '../fixtures/until.ts'

const timeout = 60_000
const ASKABLE = { elicitation: {} }
const textOf = (answer: Received): string =>
  String(at(resultOf(answer), 'content.0.text') ?? at(answer.messages.at(-1), 'error.message'))
const isRefused = (answer: Received): boolean =>
  at(resultOf(answer), 'isError') === true || at(answer.messages.at(-1), 'error') !== undefined

/** Names that lead nowhere, or where the operator lets nobody go. */
const CROOKED = [
  'one_echo',
  'one_never',
  'one_fault',
  'ONE_PID',
  'one_Pid',
  'one_../pid',
  '../tools/one_pid',
  'one/pid',
  'one:pid',
  'pid',
  '__proto__',
  'constructor',
  'toString',
  'one___proto__',
  'store_memory',
  'crow_store_memory',
  'crow_memory',
  'two_pid',
  'off_pid',
  'one_pid%00',
  ' one_pid',
  '',
]

test('by the router nothing is reached that is not reached directly', { timeout }, async (t) => {
  const gateway = await composed(t, {})
  const record = join(gateway.folder, 'one.jsonl')
  const elsewhere = join(gateway.folder, 'two.jsonl')
  gateway.rewrite({
    one: scripted({}, record, { allow: ['pid', 'echo', 'never'], deny: ['echo', 'never'] }),
    two: scripted({}, elsewhere),
    off: scripted({}, elsewhere, { disabled: true }),
  })
  await gateway.listed('one_pid', 'two_pid')
  const narrow = await gateway.scoped('tools:one')
  for (const era of ERAS) {
    const direct = await asker(narrow, era)
    const router = await asker(narrow, era, { path: ROUTER })
    assert.deepEqual(namesOf(await direct('tools/list')), ['one_pid'])
    for (const name of CROOKED) {
      const args = { name, arguments: {} }
      assert.ok(isRefused(await direct('tools/call', args)), `directly: ${JSON.stringify(name)}`)
      const routed = { name: 'crow_tools', arguments: { action: name, params: {} } }
      const answer = await router('tools/call', routed)
      assert.ok(isRefused(answer), `by the router: ${JSON.stringify(name)} ${answer.text}`)
    }
    const fine = { name: 'crow_tools', arguments: { action: 'one_pid', params: {} } }
    assert.match(textOf(await router('tools/call', fine)), /^\d+$/)
    const found = await router('tools/call', { name: 'crow_discover', arguments: { category: 'tools', query: 'pid' } })
    assert.doesNotMatch(found.text, /two_pid|one_echo|off_/)
  }
  const called = received(record, 'tools/call').map((message) => at(message, 'params.name'))
  assert.deepEqual([...new Set(called)], ['pid'])
  assert.deepEqual(received(elsewhere, 'tools/call'), [])
})

const isDone = (message: unknown): boolean => at(message, 'result') !== undefined
const isQuestion = (message: unknown): boolean => at(message, 'method') === 'elicitation/create'
const said = (name: string) => ({ action: 'accept', content: { answer: name } })

interface Session {
  readonly to: Target
  readonly headers: Readonly<Record<string, string>>
  readonly stream: Stream
}

async function askable(to: Target): Promise<Session> {
  const { headers } = await openSession(to, { path: '/tools/mcp', capabilities: ASKABLE })
  return { to, headers, stream: await open(to, { path: '/tools/mcp', method: 'GET', headers }) }
}

const startAsking = ({ to, headers }: Session, message: string): Promise<Stream> =>
  open(to, {
    path: '/tools/mcp',
    headers,
    body: call('tools/call', { name: 'one_ask', arguments: { message } }, message),
  })

test('a question for one session is seen and answered by it alone', { timeout }, async (t) => {
  const gateway = await composed(t, { one: {} })
  await gateway.listed('one_ask')
  const tokens = [await gateway.scoped('tools'), await gateway.scoped('tools')] as const
  const [alice, bob, twin] = [await askable(tokens[0]), await askable(tokens[1]), await askable(tokens[0])]
  const [hers, his] = await Promise.all([startAsking(alice, 'for alice'), startAsking(bob, 'for bob')])
  const [forAlice, forBob] = await Promise.all([hers.until(isQuestion), his.until(isQuestion)])
  assert.equal(at(forAlice, 'params.message'), 'for alice')
  assert.equal(at(forBob, 'params.message'), 'for bob')
  const answer = ({ to, headers }: Session, id: unknown, name: string): Promise<Received> =>
    rpc(to, { path: '/tools/mcp', headers, body: { jsonrpc: '2.0', id, result: said(name) } })
  // Neither another user nor another session of the same user answers for her, whatever the id.
  const stolen = { to: bob.to, headers: alice.headers }
  assert.equal(
    (
      await rpc(stolen.to, {
        path: '/tools/mcp',
        headers: stolen.headers,
        body: { jsonrpc: '2.0', id: at(forAlice, 'id'), result: said('mallory') },
      })
    ).status,
    404,
  )
  await answer(twin, at(forAlice, 'id'), 'mallory')
  if (at(forAlice, 'id') !== at(forBob, 'id')) await answer(bob, at(forAlice, 'id'), 'mallory')
  await answer(bob, at(forBob, 'id'), 'bob')
  await answer(alice, at(forAlice, 'id'), 'alice')
  assert.match(String(at(await hers.until(isDone), 'result.content.0.text')), /"alice"/)
  assert.match(String(at(await his.until(isDone), 'result.content.0.text')), /"bob"/)
  for (const { stream } of [alice, bob, twin]) assert.doesNotMatch(stream.text(), /mallory|elicitation/)
  await until(() => gateway.received('one').length > 0)
  assert.doesNotMatch(JSON.stringify(gateway.received('one')), /mallory/)
})

test('a question without a session is answered by whom it was put to, once', { timeout }, async (t) => {
  for (const era of ERAS) {
    const gateway = await composed(t, { one: { era }, two: { era } })
    await gateway.listed('one_ask', 'two_ask')
    const [alice, bob] = [await gateway.scoped('tools'), await gateway.scoped('tools')]
    const send = (to: Target, name: string, round: object = {}): Promise<Received> =>
      rpc(to, {
        path: '/tools/mcp',
        ...modern('tools/call', { name, arguments: {}, ...round }, { capabilities: ASKABLE }),
      })
    const asked = at((await send(alice, 'one_ask')).messages[0], 'result')
    const [key = ''] = Object.keys(Object(at(asked, 'inputRequests')))
    const round = (name: string): object => ({
      inputResponses: { [key]: said(name) },
      requestState: at(asked, 'requestState'),
    })
    for (const [to, name] of [
      [bob, 'one_ask'],
      [alice, 'two_ask'],
      [bob, 'two_ask'],
    ] as const)
      assert.doesNotMatch((await send(to, name, round('mallory'))).text, /answered \{/)
    assert.match((await send(alice, 'one_ask', round('alice'))).text, /answered .*alice/)
    if (era === '2025') assert.doesNotMatch((await send(alice, 'one_ask', round('twice'))).text, /answered \{/)
    assert.doesNotMatch(JSON.stringify(gateway.received('one')) + JSON.stringify(gateway.received('two')), /mallory/)
  }
})
