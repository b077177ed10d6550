// The form of an answer follows what the client can read.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { at, call, initialize, modern, openSession, rpc } from '../../fixtures/rpc.ts'
import { startApp, type RunningApp } from '../../fixtures/running-app.ts'
import { wireServer } from '../../fixtures/wire-server.ts'

const TIMEOUT = { timeout: 30_000 }
const PATH = '/wire/mcp'
const JSON_TYPE = /^application\/json/
const EVENTS = /^text\/event-stream/

let running: RunningApp
before(async () => {
  running = await startApp({}, { servers: [wireServer().definition] })
})
after(() => running.close())

const FORMS: readonly [accept: string | undefined, initializeAs: RegExp, listAs: RegExp][] = [
  ['application/json', JSON_TYPE, JSON_TYPE],
  ['*/*', EVENTS, JSON_TYPE],
  [undefined, EVENTS, JSON_TYPE],
  ['text/event-stream', EVENTS, EVENTS],
  ['application/json;q=0.9, text/event-stream;q=0.1', EVENTS, JSON_TYPE],
]

test('initialize and tools/list work with every Accept header that real clients send', TIMEOUT, async () => {
  for (const [accept, initializeAs, listAs] of FORMS) {
    const opened = await rpc(running, { path: PATH, headers: { accept }, body: initialize() })
    assert.equal(opened.status, 200, accept)
    assert.match(opened.headers['content-type'] ?? '', initializeAs)
    assert.equal(at(opened.messages.at(-1), 'result.protocolVersion'), '2025-11-25')
    const headers = { accept, 'mcp-session-id': String(opened.headers['mcp-session-id']) }
    const listed = await rpc(running, { path: PATH, headers, body: call('tools/list') })
    assert.equal(listed.status, 200, accept)
    assert.match(listed.headers['content-type'] ?? '', listAs)
    assert.ok(Array.isArray(at(listed.messages.at(-1), 'result.tools')))
  }
})

test('the newer era follows the same rule', TIMEOUT, async () => {
  for (const [accept, , listAs] of FORMS) {
    const answer = await rpc(running, { path: PATH, ...modern('tools/list', {}, { headers: { accept } }) })
    assert.equal(answer.status, 200, accept)
    assert.match(answer.headers['content-type'] ?? '', listAs)
    assert.ok(Array.isArray(at(answer.messages.at(-1), 'result.tools')))
  }
})

test('a client that takes neither form is told which to send', TIMEOUT, async () => {
  for (const sent of [{ headers: {}, body: initialize() }, modern('tools/list')]) {
    const answer = await rpc(running, { path: PATH, ...sent, headers: { ...sent.headers, accept: 'image/png' } })
    assert.equal(answer.status, 406)
    assert.match(answer.text, /application\/json, text\/event-stream/)
  }
})

test('a session stream needs a client that takes events', TIMEOUT, async () => {
  const session = await openSession(running, { path: PATH })
  const answer = await rpc(running, {
    method: 'GET',
    path: PATH,
    headers: { ...session.headers, accept: 'application/json' },
  })
  assert.equal(answer.status, 406)
  assert.match(answer.text, /text\/event-stream/)
})

test('a client without streams gets the answer of a call that reports progress, as JSON', TIMEOUT, async () => {
  const meta = { progressToken: 'p' }
  const args = { name: 'echo', arguments: { text: 'plain' } }
  const session = await openSession(running, { path: PATH })
  for (const sent of [
    { headers: session.headers, body: call('tools/call', { ...args, _meta: meta }) },
    modern('tools/call', args, { meta }),
  ]) {
    const answer = await rpc(running, { path: PATH, ...sent, headers: { ...sent.headers, accept: 'application/json' } })
    assert.match(answer.headers['content-type'] ?? '', JSON_TYPE)
    assert.equal(at(answer.messages[0], 'result.content.0.text'), 'plain')
  }
})
