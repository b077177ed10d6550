// Calls over one connection: answers, progress, cancellation, deadlines, and what a server asks in between.
import assert from 'node:assert/strict'
import { getEventListeners } from 'node:events'
import { test } from 'node:test'
import { objectOf } from '../../../../src/lib/json.ts'
import { LinkTimeout, RpcError, type JsonObject, type LinkHandlers } from '../../../../src/lib/link.ts'
import { received } from '../../../fixtures/upstream/fake-record.ts'
import { callText, opened, PATIENCE } from '../../../fixtures/upstream/opened.ts'
import { until } from '../../../fixtures/until.ts'

const timeout = 30_000
const ERAS = ['2025', '2026'] as const
const onProgress = (): void => undefined
const slow = (ms: number, steps: number): JsonObject => ({ name: 'slow', arguments: { ms, steps } })

test('a result is given as it came, whatever is in it', { timeout }, async (t) => {
  const { link } = await opened(t, {}, { era: '2025' })
  const content = await link.request('tools/call', { name: 'content' }, PATIENCE)
  assert.deepEqual(content['futureField'], { kept: true })
  const refused = await link.request('tools/call', { name: 'refuse' }, PATIENCE)
  assert.deepEqual(refused, {
    content: [{ type: 'text', text: 'quota exceeded' }],
    isError: true,
    structuredContent: { code: 'Q' },
  })
  const misfit = await link.request('tools/call', { name: 'misfit' }, PATIENCE)
  assert.deepEqual(misfit['structuredContent'], { n: '42' })
})

test('an error of the server is given as it came', { timeout }, async (t) => {
  for (const era of ERAS) {
    const { link } = await opened(t, { era }, { era })
    const given = { code: -32042, message: 'Zahlung nötig', data: { url: 'https://example.com' } }
    await assert.rejects(
      link.request('tools/call', { name: 'fault', arguments: given }, PATIENCE),
      (error) => error instanceof RpcError && error.code === -32042 && error.message === given.message,
    )
    await assert.rejects(
      link.request('no/such', {}, PATIENCE),
      (error) => error instanceof RpcError && error.code === -32601,
    )
    await assert.rejects(
      link.request('tools/call', { name: 'not_object' }, PATIENCE),
      (error) => error instanceof RpcError && /without a result/.test(error.message),
    )
  }
})

test('progress is heard by whoever asked for it, under a token of ours', { timeout }, async (t) => {
  for (const era of ERAS) {
    const { link, record, told } = await opened(t, { era }, { era })
    const heard: unknown[] = []
    const params = { name: 'slow', arguments: { ms: 90, steps: 3 }, _meta: { progressToken: 'downstream', kept: 1 } }
    await link.request('tools/call', params, { ...PATIENCE, onProgress: ({ progress }) => heard.push(progress) })
    await link.request('tools/call', params, PATIENCE)
    assert.deepEqual(heard, [1, 2, 3])
    const [first, second] = received(record, 'tools/call').map((message) =>
      objectOf(objectOf(message['params'])['_meta']),
    )
    assert.equal(typeof first?.['progressToken'], 'number')
    assert.equal(first?.['kept'], 1)
    assert.equal(second?.['progressToken'], undefined)
    assert.deepEqual(
      told.filter(({ method }) => method === 'notifications/progress'),
      [],
    )
  }
})

test('a session is told nothing of the envelope of a caller', { timeout }, async (t) => {
  const { link, record } = await opened(t, {}, { era: '2025' })
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'somebody' },
    'io.modelcontextprotocol/clientCapabilities': {},
    traceparent: '00-1',
  }
  await link.request('tools/call', { name: 'echo', _meta }, PATIENCE)
  const [call] = received(record, 'tools/call')
  assert.deepEqual(objectOf(call?.['params'])['_meta'], { traceparent: '00-1' })
})

test(
  'cancelling tells the server at once, with the id it knows, and a late answer is nobody’s',
  { timeout },
  async (t) => {
    for (const era of ERAS) {
      const { link, record, entries, noted } = await opened(t, { era }, { era })
      const leaving = new AbortController()
      const call = link.request('tools/call', { name: 'never' }, { ...PATIENCE, signal: leaving.signal })
      const stubborn = link.request(
        'tools/call',
        { name: 'stubborn', arguments: { ms: 200 } },
        { ...PATIENCE, signal: leaving.signal },
      )
      await callText(link, 'echo')
      const reason = new Error('the client left')
      leaving.abort(reason)
      await assert.rejects(call, (error) => error === reason)
      await assert.rejects(stubborn, (error) => error === reason)
      assert.equal(link.pending, 0)
      await until(() => received(record, 'notifications/cancelled').length === 2)
      assert.equal(entries('cancelled').length, 1)
      const ids = received(record, 'tools/call')
        .slice(0, 2)
        .map(({ id }) => id)
      const told = received(record, 'notifications/cancelled').map(({ params }) => objectOf(params)['requestId'])
      assert.deepEqual(told, ids)
      await callText(link, 'slow', { ms: 300 })
      assert.deepEqual(noted, [], 'the late answer is no oddity')
      await assert.rejects(
        link.request('tools/list', {}, { ...PATIENCE, signal: leaving.signal }),
        (error) => error === reason,
      )
      assert.equal(received(record, 'tools/list').length, 0)
    }
  },
)

test('a signal that outlives its calls keeps nothing of them', { timeout }, async (t) => {
  const { link } = await opened(t, {}, { era: '2025' })
  const { signal } = new AbortController()
  const call = (name: string): Promise<unknown> =>
    link.request('tools/call', { name, arguments: { ms: 5_000 } }, { timeoutMs: 300, signal })
  await call('echo')
  await assert.rejects(call('fault'), RpcError)
  await assert.rejects(call('slow'), LinkTimeout)
  assert.deepEqual(getEventListeners(signal, 'abort'), [])
})

test('a deadline passes, the server is told, and progress starts it anew up to the longest', { timeout }, async (t) => {
  const { link, record, entries } = await opened(t, {}, { era: '2025' })
  await assert.rejects(
    link.request('tools/call', slow(5_000, 0), { timeoutMs: 150 }),
    (error) => error instanceof LinkTimeout && error.timeoutMs === 150,
  )
  await until(() => entries('cancelled').length === 1)
  assert.equal(received(record, 'notifications/cancelled').length, 1)
  await link.request('tools/call', slow(900, 9), { timeoutMs: 400, onProgress })
  const began = performance.now()
  const bounded = link.request('tools/call', slow(5_000, 50), { timeoutMs: 400, totalMs: 600, onProgress })
  await assert.rejects(bounded, LinkTimeout)
  assert.ok(performance.now() - began < 2_000)
  assert.equal(await callText(link, 'echo', { message: 'still' }), 'Echo: still')
})

test('many calls at once are answered each with its own', { timeout }, async (t) => {
  for (const era of ERAS) {
    const { link } = await opened(t, { era }, { era })
    const texts = await Promise.all(
      Array.from({ length: 300 }, (_, n) => callText(link, 'echo', { message: String(n) })),
    )
    assert.deepEqual(
      texts,
      Array.from({ length: 300 }, (_, n) => `Echo: ${n}`),
    )
  }
})

test('oddities of a server confuse nobody', { timeout }, async (t) => {
  const { link, noted } = await opened(t, {}, { era: '2025' })
  assert.equal(await callText(link, 'twice'), 'first')
  assert.equal(await callText(link, 'text_id'), 'as text')
  assert.equal(await callText(link, 'wrong_id'), 'right')
  const line = '{"jsonrpc":"2.0","id":"x","method":"no/such","params":{"__proto__":{"polluted":true}}}'
  assert.equal(await callText(link, 'raw', { line }), 'written')
  assert.equal(Object.hasOwn(Object.prototype, 'polluted'), false)
  assert.equal(noted.length, 4, 'each answer to nothing is noted')
})

test('messages may come in a list, as in one revision, and lines as on Windows', { timeout }, async (t) => {
  const { link, told, record, noted } = await opened(t, { version: '2025-03-26' }, { era: '2025' })
  const messages = [
    { jsonrpc: '2.0', method: 'notifications/message', params: { data: 1 } },
    { jsonrpc: '2.0', id: 'p', method: 'ping' },
    7,
  ]
  await callText(link, 'raw', { line: `\uFEFF${JSON.stringify(messages)}\r` })
  await callText(link, 'echo')
  assert.deepEqual(told, [{ method: 'notifications/message', params: { data: 1 } }])
  assert.equal(received(record).filter(({ id }) => id === 'p').length, 1)
  assert.equal(noted.length, 1)
})

test('noise on standard output is noted, bounded, and breaks nothing', { timeout }, async (t) => {
  const { link, noted } = await opened(t, { noise: true })
  assert.equal(await callText(link, 'echo', { message: 'a' }), 'Echo: a')
  const lines = noted.map(({ detail }) => objectOf(detail)['line'])
  assert.deepEqual(lines.slice(0, 3), ['Starting server v1.2', 'ready', '{"not":"rpc"}'])
  for (let n = 0; n < 60; n++) await callText(link, 'echo')
  assert.ok(noted.length <= 30, `${noted.length} notes`)
})

const answers: LinkHandlers['onRequest'] = (method) => {
  if (method === 'roots/list') return Promise.reject(new RpcError({ code: -1, message: 'no roots', data: 7 }))
  if (method === 'sampling/createMessage') return Promise.reject(new Error('secret detail'))
  return Promise.resolve({ action: 'accept', content: { answer: 'me' } })
}

test(
  'what a server asks is answered by the handler, in its words, or refused without detail',
  { timeout },
  async (t) => {
    const { link } = await opened(t, {}, { era: '2025', onRequest: answers })
    const ask = async (kind: string): Promise<unknown> => {
      const result = await link.request('tools/call', { name: 'ask', arguments: { kind } }, PATIENCE)
      return objectOf(result['structuredContent'])['answers']
    }
    assert.deepEqual(await ask('elicitation'), [{ action: 'accept', content: { answer: 'me' } }])
    assert.deepEqual(await ask('roots'), [{ error: { code: -1, message: 'no roots', data: 7 } }])
    assert.deepEqual(await ask('sampling'), [{ error: { code: -32603, message: 'Internal error' } }])
  },
)

test(
  'a ping is answered, an unknown request refused, and one that was taken back is not answered',
  { timeout },
  async (t) => {
    const signals: AbortSignal[] = []
    const { link, record } = await opened(
      t,
      {},
      {
        era: '2025',
        onRequest: (_method, _params, signal) => {
          signals.push(signal)
          return new Promise((resolve) => signal.addEventListener('abort', () => resolve({ action: 'cancel' })))
        },
      },
    )
    const raw = (message: object): Promise<string> =>
      callText(link, 'raw', { line: JSON.stringify({ jsonrpc: '2.0', ...message }) })
    await raw({ id: 'p', method: 'ping' })
    await raw({ id: 'u', method: 'tools/call' })
    await raw({ id: 7, method: 'elicitation/create', params: {} })
    await raw({ method: 'notifications/cancelled', params: { requestId: 7 } })
    assert.equal(signals[0]?.aborted, true)
    await callText(link, 'echo')
    const replies = received(record).filter((message) => message['method'] === undefined)
    assert.deepEqual(replies, [
      { jsonrpc: '2.0', id: 'p', result: {} },
      { jsonrpc: '2.0', id: 'u', error: { code: -32601, message: 'Method not found' } },
    ])
    await raw({ id: 8, method: 'elicitation/create', params: {} })
    await link.close()
    assert.equal(signals[1]?.aborted, true, 'the end of the connection takes back what is open')
  },
)

test('what a server tells is heard in order; changes are heard in both families', { timeout }, async (t) => {
  for (const era of ERAS) {
    const { link, told } = await opened(t, { era }, { era })
    await callText(link, 'add_tool', { name: 'late_one' })
    await callText(link, 'log', { data: 'x' })
    await callText(link, 'change', { what: 'prompts' })
    const methods = told.map(({ method }) => method)
    assert.deepEqual(methods, [
      'notifications/tools/list_changed',
      'notifications/message',
      'notifications/prompts/list_changed',
    ])
  }
})
