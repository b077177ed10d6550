// Servers that ask: the question reaches the caller of the call and nobody else, in both eras, and is answered once.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import type { InputNeeded } from '../../../src/runtime/reply.ts'
import { received, recorded } from '../../fixtures/upstream/fake-record.ts'
import { ANYONE, askable, fakeSpec, stand, textOf, type Stand } from '../../fixtures/upstream/hub-stand.ts'
import { until } from '../../fixtures/until.ts'
import { temporaryFolder } from '../db/temporary.ts'

const timeout = 60_000

const accept = (answer: string): object => ({ action: 'accept', content: { answer } })

function answering(needed: InputNeeded, answer: object): object {
  const responses = Object.fromEntries(Object.keys(needed.requests).map((name) => [name, answer]))
  return { elicit: { supported: true, responses, state: needed.state } }
}

async function answered(at: Stand, id: string, params: object, answer: string): Promise<string> {
  const caller = askable(id)
  const needed = await at.asks('one_ask', params, { caller })
  return textOf(await at.call('one_ask', params, { caller, ...answering(needed, accept(answer)) }))
}

for (const era of ['2025', '2026'])
  test(`a ${era} server asks its caller, and goes on with the answer`, { timeout }, async (t) => {
    const at = await stand(t, [fakeSpec('one', { era })])
    await at.ready('one_ask')
    const caller = askable('a')
    const needed = await at.asks('one_ask', { message: 'Which?' }, { caller })
    const [request] = Object.values(needed.requests)
    assert.equal(request?.method, 'elicitation/create')
    assert.equal(request?.params['message'], 'Which?')
    const reply = await at.call('one_ask', { message: 'Which?' }, { caller, ...answering(needed, accept('this')) })
    assert.match(textOf(reply), /"answer":"this"/)
    assert.equal(at.hub.parked, 0)
    assert.equal(at.status('one').pending, 0)
  })

test('a 2025 server asks as often as it likes', { timeout }, async (t) => {
  const at = await stand(t, [fakeSpec('one')])
  await at.ready('one_ask')
  const caller = askable('a')
  const first = await at.asks('one_ask', { times: 2 }, { caller })
  const second = await at.asks('one_ask', { times: 2 }, { caller, ...answering(first, accept('1')) })
  assert.notEqual(second.state, first.state)
  const reply = await at.call('one_ask', { times: 2 }, { caller, ...answering(second, accept('2')) })
  assert.deepEqual(reply.structuredContent, { answers: [accept('1'), accept('2')] })
})

test(
  'two callers and one server that asks: each gets its own question on its own connection',
  { timeout },
  async (t) => {
    const record = join(temporaryFolder(t), 'record')
    const at = await stand(t, [fakeSpec('one', { record })])
    await at.ready('one_ask')
    const callers = ['a', 'b', 'c'].map((id) => askable(id))
    const asked = await Promise.all(callers.map((caller) => at.asks('one_ask', { message: caller.id }, { caller })))
    for (const [index, needed] of asked.entries())
      assert.equal(Object.values(needed.requests)[0]?.params['message'], callers[index]?.id)
    const replies = await Promise.all(
      asked.map((needed, index) => {
        const caller = callers[index] ?? ANYONE
        return at.call('one_ask', { message: caller.id }, { caller, ...answering(needed, accept(`for ${caller.id}`)) })
      }),
    )
    for (const [index, reply] of replies.entries()) assert.match(textOf(reply), new RegExp(`for ${callers[index]?.id}`))
    assert.equal(recorded(record, 'start').length, 4, 'one for those who cannot be asked, one for each caller')
  },
)

test('a connection is handed on when its caller has done with it', { timeout }, async (t) => {
  const record = join(temporaryFolder(t), 'record')
  const at = await stand(t, [fakeSpec('one', { record })])
  await at.ready('one_ask')
  for (const id of ['a', 'b', 'c']) assert.match(await answered(at, id, {}, id), new RegExp(id))
  assert.equal(recorded(record, 'start').length, 2)
})

test('connections are bounded: one more caller waits for its turn', { timeout }, async (t) => {
  const at = await stand(t, [fakeSpec('one')], { limits: { connectionsMax: 2 } })
  await at.ready('one_ask')
  const [a, b] = [askable('a'), askable('b')]
  const first = await at.asks('one_ask', {}, { caller: a })
  const second = at.asks('one_ask', {}, { caller: b })
  assert.equal(await Promise.race([second, new Promise((resolve) => setTimeout(resolve, 200, 'waits'))]), 'waits')
  await at.call('one_ask', {}, { caller: a, ...answering(first, accept('1')) })
  assert.ok((await second).state)
})

test('who cannot be asked is not: the server is told so', { timeout }, async (t) => {
  for (const era of ['2025', '2026']) {
    const at = await stand(t, [fakeSpec('one', { era })])
    await at.ready('one_ask')
    const answer = await at.ask('one_ask')
    if (era === '2025') assert.match(JSON.stringify(answer), /-32601/)
    else assert.equal(Reflect.get(answer, 'code'), 'ELICITATION_UNSUPPORTED')
  }
})

test('a question without a call is refused', { timeout }, async (t) => {
  const record = join(temporaryFolder(t), 'record')
  const at = await stand(t, [fakeSpec('one', { record })])
  await at.ready('one_stray')
  await at.call('one_stray', {}, { caller: askable('a') })
  const refusal = (): unknown => received(record).find((message) => 'error' in message && message['id'] === 'ask-1')
  await until(() => refusal() !== undefined)
  assert.match(JSON.stringify(refusal()), /No call is under way/)
})

test('an answer is taken once, and only from the caller and for the tool that was asked', { timeout }, async (t) => {
  const at = await stand(t, [fakeSpec('one')])
  await at.ready('one_ask')
  const caller = askable('a')
  const needed = await at.asks('one_ask', {}, { caller })
  const back = answering(needed, accept('x'))
  assert.equal((await at.fails('one_ask', {}, { caller: askable('b'), ...back })).code, 'CONFLICT')
  assert.equal((await at.fails('one_echo', {}, { caller, ...back })).code, 'CONFLICT')
  assert.match(textOf(await at.call('one_ask', {}, { caller, ...back })), /"x"/)
  assert.equal((await at.fails('one_ask', {}, { caller, ...back })).code, 'CONFLICT')
})

test('a question that nobody answers ends the call at the server', { timeout }, async (t) => {
  const record = join(temporaryFolder(t), 'record')
  const at = await stand(t, [fakeSpec('one', { record })], { limits: { parkedMs: 100 } })
  await at.ready('one_ask')
  const caller = askable('a')
  const needed = await at.asks('one_ask', {}, { caller })
  await until(() => received(record, 'notifications/cancelled').length === 1)
  assert.equal(at.hub.parked, 0)
  await until(() => at.status('one').pending === 0)
  assert.equal((await at.fails('one_ask', {}, { caller, ...answering(needed, accept('late')) })).code, 'CONFLICT')
})

test('what a caller left behind is cancelled when it is gone, and its share is bounded', { timeout }, async (t) => {
  const at = await stand(t, [fakeSpec('one')], { limits: { parkedPerCallerMax: 2 } })
  await at.ready('one_ask')
  const caller = askable('a')
  await at.asks('one_ask', {}, { caller })
  await at.asks('one_ask', {}, { caller })
  assert.equal((await at.fails('one_ask', {}, { caller })).code, 'SERVER_BUSY')
  assert.equal(at.hub.parked, 2)
  at.hub.forgetCaller('a')
  assert.equal(at.hub.parked, 0)
  await until(() => at.status('one').pending === 0)
})

test('the deadline of a call stands still while its caller thinks', { timeout }, async (t) => {
  const at = await stand(t, [fakeSpec('one', {}, { timeoutMs: 300 })])
  await at.ready('one_ask')
  const caller = askable('a')
  const needed = await at.asks('one_ask', {}, { caller })
  await new Promise((resolve) => setTimeout(resolve, 500))
  assert.match(textOf(await at.call('one_ask', {}, { caller, ...answering(needed, accept('slow')) })), /slow/)
  assert.equal((await at.fails('one_never', {}, { caller })).code, 'TIMEOUT')
})

test('sampling and roots: only what was declared', { timeout }, async (t) => {
  const roots = ['file:///home/me']
  const at = await stand(t, [fakeSpec('one', {}, { roots }), fakeSpec('two', { era: '2026' }, { roots })])
  for (const id of ['one', 'two']) {
    await at.ready(`${id}_ask`)
    const caller = askable('a', 'elicitation,sampling')
    const needed = await at.asks(`${id}_ask`, { kind: 'sampling' }, { caller })
    assert.equal(Object.values(needed.requests)[0]?.method, 'sampling/createMessage')
    assert.match(JSON.stringify(await at.call(`${id}_ask`, { kind: 'roots' })), /file:\/\/\/home\/me/)
  }
  assert.match(JSON.stringify(await at.ask('one_ask', { kind: 'sampling' }, { caller: askable('a') })), /-32601/)
})

test(
  'log lines go to the caller whose calls are under way, and to nobody where that cannot be told',
  { timeout },
  async (t) => {
    const at = await stand(t, [fakeSpec('one')])
    await at.ready('one_log')
    const heard: unknown[][] = []
    const notify = (...line: unknown[]): void => void heard.push(line)
    await at.call('one_log', { level: 'warning', data: { a: 1 } }, { notify })
    assert.deepEqual(heard, [['warning', { a: 1 }, 'fake']])
    const slow = at.call('one_slow', { ms: 200 }, { notify, caller: { ...ANYONE, id: 'other' } })
    await at.call('one_log', {}, { notify })
    await slow
    assert.equal(heard.length, 1)
  },
)

test('what a call left behind is read over the same connection', { timeout }, async (t) => {
  const record = join(temporaryFolder(t), 'record')
  const at = await stand(t, [fakeSpec('one', { record })])
  await at.ready('one_echo')
  const caller = askable('a')
  await at.call('one_echo', {}, { caller })
  const ctx = at.context({ caller })
  assert.ok(await at.source.content?.read('one+memo://two', ctx))
  assert.ok(await at.source.content?.getPrompt('one_plain', {}, ctx))
  assert.equal(recorded(record, 'start').length, 2)
  const declared = received(record, 'initialize').map(({ params }) => Object(params).capabilities)
  assert.deepEqual(declared, [{}, { elicitation: { form: {} } }])
})

test('a page that has to be visited first is shown, then the call is made again', { timeout }, async (t) => {
  const record = join(temporaryFolder(t), 'record')
  const at = await stand(t, [fakeSpec('one', { record })])
  await at.ready('one_fault')
  const page = { mode: 'url', url: 'https://example.org/sign-in', elicitationId: '1', message: 'Sign in' }
  const params = { code: -32042, message: 'sign in first', data: { elicitations: [page] } }
  const caller = askable('a', 'elicitation,elicitation.url')
  const needed = await at.asks('one_fault', params, { caller })
  assert.deepEqual(Object.values(needed.requests), [{ method: 'elicitation/create', params: page }])
  await at.asks('one_fault', params, { caller, ...answering(needed, { action: 'accept' }) })
  assert.equal(received(record, 'tools/call').length, 2)
  assert.match((await at.fails('one_fault', params, { caller: askable('b') })).message, /sign in first/)
})
