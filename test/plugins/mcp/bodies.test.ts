// Bodies that are not what they should be: each gets one clear JSON-RPC error, and the gateway goes on.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { at, call, modern, open, openSession, rpc, type OpenSession } from '../../fixtures/rpc.ts'
import { startApp, type RunningApp } from '../../fixtures/running-app.ts'
import { wireServer } from '../../fixtures/wire-server.ts'

const TIMEOUT = { timeout: 30_000 }
const PATH = '/wire/mcp'
const LEVELS = 10_000

let running: RunningApp
let session: OpenSession

before(async () => {
  running = await startApp({}, { servers: [wireServer().definition] })
  session = await openSession(running, { path: PATH })
})
after(() => running.close())

const echo = (text: string, id: unknown = 1) => call('tools/call', { name: 'echo', arguments: { text } }, id)
const errorCode = (answer: { messages: readonly unknown[] }): unknown => at(answer.messages.at(-1), 'error.code')

test('malformed JSON is a parse error in JSON-RPC, in both eras', TIMEOUT, async () => {
  for (const headers of [session.headers, modern('tools/list').headers ?? {}]) {
    for (const body of ['{not json', '[1,2', '"', '\u0000']) {
      const answer = await rpc(running, { path: PATH, headers, body })
      assert.equal(answer.status, 400)
      assert.equal(errorCode(answer), -32700)
      assert.equal(at(answer.messages[0], 'id'), null)
    }
  }
})

test('text that is not UTF-8 is refused, not stored with its broken characters replaced', TIMEOUT, async () => {
  const [head = '', tail = ''] = JSON.stringify(echo('caf|')).split('|')
  for (const broken of [[0xe9], [0xff, 0xfe], [0xc3, 0x28], [0xed, 0xa0, 0x80]]) {
    const body = Buffer.concat([Buffer.from(head), Buffer.from(broken), Buffer.from(tail)])
    const answer = await rpc(running, { path: PATH, headers: session.headers, body })
    assert.equal(answer.status, 400)
    assert.equal(errorCode(answer), -32700)
    assert.equal(at(answer.messages[0], 'error.data.hint'), 'Send it in UTF-8.')
  }
  const whole = await rpc(running, { path: PATH, headers: session.headers, body: echo('caf\u00e9 \u{1f99c} \ufffd') })
  assert.equal(at(whole.messages[0], 'result.content.0.text'), 'caf\u00e9 \u{1f99c} \ufffd')
})

test('a POST with a JSON type and zero bytes is a parse error', TIMEOUT, async () => {
  const answer = await rpc(running, {
    path: PATH,
    headers: { ...session.headers, 'content-type': 'application/json' },
    body: '',
  })
  assert.equal(answer.status, 400)
  assert.equal(errorCode(answer), -32700)
})

test('a charset parameter and odd case of the content type are fine', TIMEOUT, async () => {
  for (const type of ['application/json; charset=UTF-8', 'Application/JSON;charset=utf-8']) {
    const answer = await rpc(running, {
      path: PATH,
      headers: { ...session.headers, 'content-type': type },
      body: echo('ok'),
    })
    assert.equal(at(answer.messages[0], 'result.content.0.text'), 'ok')
  }
})

test('another content type is 415 with a JSON-RPC body', TIMEOUT, async () => {
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/jsonx']) {
    const answer = await rpc(running, {
      path: PATH,
      headers: { ...session.headers, 'content-type': type },
      body: echo('no'),
    })
    assert.equal(answer.status, 415, type)
    assert.equal(errorCode(answer), -32000)
  }
})

test('a 20 MB body is 413, and the client that sent it can read why', TIMEOUT, async () => {
  const answer = await rpc(running, { path: PATH, headers: session.headers, body: echo('x'.repeat(20 * 1024 * 1024)) })
  assert.equal(answer.status, 413)
  assert.equal(errorCode(answer), -32000)
  assert.equal((await rpc(running, { path: PATH, headers: session.headers, body: echo('still here') })).status, 200)
})

test('prototype keys are refused and change nothing', TIMEOUT, async () => {
  for (const key of ['__proto__', 'constructor']) {
    const inner = key === '__proto__' ? '{"polluted":true}' : '{"prototype":{"polluted":true}}'
    const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":"x","${key}":${inner}}}}`
    const answer = await rpc(running, { path: PATH, headers: session.headers, body })
    assert.equal(answer.status, 400, key)
    assert.equal(errorCode(answer), -32700)
  }
  assert.equal(Reflect.get({}, 'polluted'), undefined)
})

test('JSON nested 10,000 deep is refused in one sentence, wherever the nesting is', TIMEOUT, async () => {
  const deep = '['.repeat(LEVELS) + ']'.repeat(LEVELS)
  const objects = '{"a":'.repeat(LEVELS) + '1' + '}'.repeat(LEVELS)
  for (const value of [deep, objects]) {
    for (const body of [
      value,
      `{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"echo","arguments":{"text":${value}}}}`,
    ]) {
      const answer = await rpc(running, { path: PATH, headers: session.headers, body })
      assert.equal(answer.status, 400)
      assert.equal(errorCode(answer), -32600)
      assert.match(answer.text, /nested deeper than/)
    }
  }
  assert.equal((await rpc(running, { path: PATH, headers: session.headers, body: echo('ok') })).status, 200)
})

test('JSON of more values than anybody means is refused, however they are arranged', TIMEOUT, async () => {
  const many = Array.from({ length: 120_000 }, (_, index) => index)
  const keys = Object.fromEntries(many.map((index) => [`k${index}`, 1]))
  const pairs = many.slice(0, 60_000).map((index) => [index])
  for (const value of [many, keys, pairs]) {
    const answer = await rpc(running, { path: PATH, headers: session.headers, body: call('ping', { value }, 9) })
    assert.equal(answer.status, 400)
    assert.equal(errorCode(answer), -32600)
    assert.equal(at(answer.messages[0], 'error.data.code'), 'JSON_EXCESSIVE')
    assert.match(answer.text, /more than (100000 values|10000 names)/)
  }
  const body = call('ping', { value: many.slice(0, 90_000) })
  assert.equal((await rpc(running, { path: PATH, headers: session.headers, body })).status, 200)
})

test('what would take a parser long is refused before anything is parsed', TIMEOUT, async () => {
  const count = 300_000
  const each = (make: (index: number) => string): string =>
    Array.from({ length: count }, (_, index) => make(index)).join(',')
  const shapes = [
    `{${each((index) => `"k${index}":1`)}}`,
    `{${each(() => '"a":1')}}`,
    `[${each(() => '{}')}]`,
    `[${each((index) => `{"${index}":1}`)}]`,
    `${'['.repeat(count)}${']'.repeat(count)}`,
    '{"a":'.repeat(count),
  ]
  // A parser would take half a second for some of them; of these bytes it would also find the one that is no JSON.
  for (const shape of shapes) {
    const answer = await rpc(running, { path: PATH, headers: session.headers, body: `${shape}!` })
    assert.equal(answer.status, 400)
    assert.equal(errorCode(answer), -32600)
  }
})

test('an id, a URI or a name of a whole body is refused or shortened, in both eras', TIMEOUT, async () => {
  const long = 'x'.repeat(1_000_000)
  const named = { name: long, arguments: {} }
  for (const [sent, code] of [
    [{ headers: session.headers, body: call('ping', undefined, long) }, -32600],
    [{ headers: session.headers, body: [call('ping', undefined, long)] }, -32600],
    [{ headers: session.headers, body: call('tools/list', undefined, long) }, -32600],
    [modern('tools/list', {}, { id: long }), -32600],
    [{ headers: session.headers, body: call('resources/read', { uri: long }) }, -32602],
    [{ headers: session.headers, body: call('tools/call', named) }, -32602],
    [{ headers: session.headers, body: call('prompts/get', named) }, -32602],
  ] as const) {
    const answer = await rpc(running, { path: PATH, ...sent })
    assert.equal(errorCode(answer), code)
    assert.ok(answer.text.length < 1_000, answer.text.slice(0, 200))
  }
  const fits = await rpc(running, {
    path: PATH,
    headers: session.headers,
    body: call('ping', undefined, 'i'.repeat(1_024)),
  })
  assert.equal(fits.status, 200)
})

test(
  'a batch of the older era gets an array of answers, an oversized, an empty and a mixed one are refused',
  TIMEOUT,
  async () => {
    const headers = { ...session.headers, accept: 'application/json' }
    const two = await rpc(running, { path: PATH, headers, body: [echo('one', 1), echo('two', 2)] })
    assert.equal(two.status, 200)
    const answers: unknown = two.messages[0]
    assert.ok(Array.isArray(answers))
    assert.deepEqual(new Set(answers.map((answer) => at(answer, 'result.content.0.text'))), new Set(['one', 'two']))

    const empty = await rpc(running, { path: PATH, headers, body: [] })
    assert.equal(empty.status, 400)
    for (const origin of [headers, {}]) {
      const body = Array.from({ length: 200 }, (_, id) => echo('x', id))
      const huge = await rpc(running, { path: PATH, headers: origin, body })
      assert.equal(huge.status, 400)
      assert.match(huge.text, /Batch must not exceed 100 messages/)
    }
    const mixed = await rpc(running, { path: PATH, headers: {}, body: [echo('one', 1), modern('tools/list').body] })
    assert.equal(mixed.status, 400)
    assert.equal(errorCode(mixed), -32600)
  },
)

test('a batch of notifications is accepted without an answer', TIMEOUT, async () => {
  const body = [{ jsonrpc: '2.0', method: 'notifications/initialized' }]
  const answer = await rpc(running, { path: PATH, headers: session.headers, body })
  assert.equal(answer.status, 202)
  assert.equal(answer.text, '')
})

test('what is no JSON-RPC message is refused in both eras', TIMEOUT, async () => {
  for (const body of [
    '1',
    '"text"',
    'null',
    '{}',
    '{"jsonrpc":"1.0","id":1,"method":"tools/list"}',
    '{"jsonrpc":"2.0","id":null,"method":"tools/list"}',
  ]) {
    const inSession = await rpc(running, { path: PATH, headers: session.headers, body })
    assert.equal(inSession.status, 400, body)
    assert.ok(typeof errorCode(inSession) === 'number')
    const without = await rpc(running, { path: PATH, headers: { 'mcp-protocol-version': '2026-07-28' }, body })
    assert.equal(without.status, 400, body)
  }
})

test('an unknown method is -32601 in both eras, an unknown tool -32602 on 200', TIMEOUT, async () => {
  const old = await rpc(running, { path: PATH, headers: session.headers, body: call('no/such') })
  assert.equal(errorCode(old), -32601)
  const fresh = await rpc(running, { path: PATH, ...modern('no/such') })
  assert.equal(fresh.status, 404)
  assert.equal(errorCode(fresh), -32601)
  for (const sent of [
    { headers: session.headers, body: call('tools/call', { name: 'no_such_tool', arguments: {} }) },
    modern('tools/call', { name: 'no_such_tool', arguments: {} }),
  ]) {
    const answer = await rpc(running, { path: PATH, ...sent })
    assert.equal(answer.status, 200)
    assert.equal(errorCode(answer), -32602)
    assert.match(answer.text, /Unknown tool: no_such_tool/)
  }
})

test('a refusal of the doors speaks JSON-RPC too', TIMEOUT, async () => {
  const answer = await rpc(running, { path: PATH, headers: { authorization: undefined }, body: echo('x') })
  assert.equal(answer.status, 401)
  assert.equal(at(answer.messages[0], 'jsonrpc'), '2.0')
  assert.equal(at(answer.messages[0], 'error.data.code'), 'TOKEN_REQUIRED')
  assert.match(answer.headers['www-authenticate'] ?? '', /^Bearer/)
  const stream = await open(running, {
    method: 'GET',
    path: PATH,
    headers: { ...session.headers, authorization: 'Bearer wrong' },
  })
  assert.equal(stream.status, 401)
})
