// What is wrong in a request is said again in the answer, but not at any length.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { at, call, modern, openSession, rpc, type Sent } from '../../fixtures/rpc.ts'
import { startApp } from '../../fixtures/running-app.ts'

const TIMEOUT = { timeout: 30_000 }
const PATH = '/memory/mcp'
const LONG = 'ü'.repeat(1_000_000)
const HEADER = 'x'.repeat(10_000)
const ANSWER_CHARS_MAX = 2_000

const named = (method: string, params: Record<string, unknown>, header: string | undefined): Sent => {
  const { headers, body } = modern(method, params, { id: 'x' })
  return { path: PATH, headers: { ...headers, 'mcp-name': header }, body }
}

test(
  'a long name that its header does not repeat is quoted in part, and a long header not at all',
  TIMEOUT,
  async (t) => {
    const running = await startApp()
    t.after(() => running.close())
    const cases = [
      named('tools/call', { name: LONG }, 'other'),
      named('tools/call', { name: LONG }, undefined),
      named('prompts/get', { name: LONG }, 'other'),
      named('resources/read', { uri: `x:${LONG}` }, '=?base64?b3RoZXI=?='),
      named('tools/call', { name: 'short' }, HEADER),
      named('resources/read', { uri: 'x:short' }, `=?base64?${Buffer.from(HEADER).toString('base64')}?=`),
      named('tools/call', { name: 'short' }, `=?base64?${HEADER}`),
    ]
    for (const sent of cases) {
      const answer = await rpc(running, sent)
      assert.equal(answer.status, 400)
      assert.equal(at(answer.messages[0], 'error.code'), -32020)
      assert.equal(at(answer.messages[0], 'id'), 'x')
      assert.match(String(at(answer.messages[0], 'error.data.mismatch.body')), /params\.(name|uri)="/)
      assert.ok(answer.text.length < ANSWER_CHARS_MAX)
      assert.doesNotMatch(answer.text, /x{10}/)
    }
  },
)

test('a long name that its header repeats is unknown, as a short one is', TIMEOUT, async (t) => {
  const running = await startApp()
  t.after(() => running.close())
  const name = 'n'.repeat(4_000)
  const answer = await rpc(running, named('tools/call', { name }, name))
  assert.equal(at(answer.messages[0], 'error.code'), -32602)
  assert.ok(answer.text.length < ANSWER_CHARS_MAX)
})

test('long ids, methods and versions are refused without being repeated, in either era', TIMEOUT, async (t) => {
  const running = await startApp()
  t.after(() => running.close())
  const { headers = {} } = modern('tools/list', {}, { id: 'x' })
  const _meta = { 'io.modelcontextprotocol/protocolVersion': LONG }
  const cases: readonly (readonly [Sent, RegExp, unknown])[] = [
    [{ body: call('tools/list', {}, LONG) }, /^Invalid Request: An id can/, null],
    [{ body: call(LONG, {}, 'x') }, /^Invalid Request: A method can/, 'x'],
    [{ headers, body: call(LONG, {}, 'x') }, /^Invalid Request: A method can/, 'x'],
    [{ headers, body: call('tools/list', { _meta }, 'x') }, /^Invalid Request: A version can/, 'x'],
  ]
  for (const [sent, message, id] of cases) {
    const answer = await rpc(running, { path: PATH, ...sent })
    assert.equal(answer.status, 400)
    assert.match(String(at(answer.messages[0], 'error.message')), message)
    assert.equal(at(answer.messages[0], 'id'), id)
    assert.ok(answer.text.length < ANSWER_CHARS_MAX)
  }
})

test('long headers are refused without being repeated, in either era', TIMEOUT, async (t) => {
  const running = await startApp()
  t.after(() => running.close())
  const session = await openSession(running, { path: PATH })
  const { headers = {}, body } = modern('tools/list', {}, { id: 'x' })
  const old = { body: call('tools/list', {}, 'x') }
  const cases: readonly (readonly [Sent, string, unknown])[] = [
    [{ body, headers: { ...headers, 'mcp-method': HEADER } }, 'mcp-method', 'x'],
    [{ body, headers: { ...headers, 'mcp-protocol-version': HEADER } }, 'mcp-protocol-version', 'x'],
    [{ ...old, headers: { 'mcp-protocol-version': HEADER } }, 'mcp-protocol-version', 'x'],
    [{ ...old, headers: { ...session.headers, 'mcp-protocol-version': HEADER } }, 'mcp-protocol-version', 'x'],
    [{ method: 'GET', headers: { ...session.headers, 'mcp-protocol-version': HEADER } }, 'mcp-protocol-version', null],
  ]
  for (const [sent, name, id] of cases) {
    const answer = await rpc(running, { path: PATH, ...sent })
    assert.equal(answer.status, 400)
    assert.match(
      String(at(answer.messages[0], 'error.message')),
      new RegExp(`^Invalid Request: The header ${name} can`),
    )
    assert.equal(at(answer.messages[0], 'id'), id)
    assert.ok(answer.text.length < ANSWER_CHARS_MAX)
  }
})
