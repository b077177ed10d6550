// What a client is told when it connects, on the wire: the same in both eras and on both paths, by who asks; and how a change
// of it is approved in the client itself.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { Caller } from '../../../src/runtime/context.ts'
import { wireOf } from '../../../plugins/mcp/index.ts'
import { at, call, initialize, modern, open, openSession, rpc, type Target } from '../../fixtures/rpc.ts'
import { startApp } from '../../fixtures/running-app.ts'
import { until } from '../../fixtures/until.ts'
import { wireServer } from '../../fixtures/wire-server.ts'

const timeout = 60_000
const PATH = '/memory/mcp'
const ELICITS = { elicitation: {} }

const discover = async (who: Target, path = PATH) =>
  (await rpc(who, { path, ...modern('server/discover') })).messages[0]
const told = async (who: Target, path = PATH) => at(await discover(who, path), 'result.instructions')
const greeted = async (who: Target, path = PATH) =>
  at((await rpc(who, { path, body: initialize() })).messages.at(-1), 'result.instructions')

const change = (content: string, more: object = {}) => ({
  name: 'crow_update_context_section',
  arguments: { section_key: 'identity', content },
  ...more,
})

async function start(t: TestContext) {
  const running = await startApp({}, { servers: [wireServer().definition] })
  t.after(() => running.close())
  const { app, port } = running
  const as = async (name: string, scopes: string[]): Promise<Target> => {
    const { secret } = await app.tokens.create({ name, scopes })
    return { port, token: secret }
  }
  return { running, as }
}

test('both eras and both paths tell the same, by who asks', { timeout }, async (t) => {
  const { running, as } = await start(t)
  const { counters } = wireOf(running.app).endpoint('memory').hot
  for (const who of [running, await as('reader', ['memory:read'])]) {
    const answered = counters.answered
    const hot = await discover(who)
    assert.equal(counters.answered, answered + 1)
    counters.enabled = false
    assert.deepEqual(await discover(who), hot)
    counters.enabled = true
    assert.equal(at(hot, 'result.cacheScope'), 'private')
    assert.match(String(at(hot, 'result.instructions')), /^Identity: You work with a person/)
    assert.equal(await greeted(who), at(hot, 'result.instructions'))
  }
  assert.notEqual(await told(running), await told(await as('another reader', ['memory:read'])))
  // A server of its own says so first; whoever holds nothing of memory gets nothing of the sections.
  const wired = await as('wire', ['wire'])
  for (const text of [await told(wired, '/wire/mcp'), await greeted(wired, '/wire/mcp')])
    assert.match(String(text), /^Use echo\.\nIdentity: Crow keeps one memory/)
})

test('an approved change is told to whoever connects next', { timeout }, async (t) => {
  const { running } = await start(t)
  const answer = await rpc(running, { path: PATH, ...modern('tools/call', change('zeppelin')) })
  assert.match(answer.text, /crow context approve 1/)
  assert.doesNotMatch(String(await told(running)), /zeppelin/)
  // As another process would: the row moves, and the watch of this one notices.
  running.app.database.sqlite
    .prepare("UPDATE context_sections SET content = 'balloon', version = version + 1 WHERE section_key = 'identity'")
    .run()
  const { catalog } = running.app
  const served = catalog.server('memory')
  assert.ok(served !== undefined)
  const owner: Caller = { id: 'local:1', kind: 'local', scopes: 'all' }
  await until(() => catalog.instructions(served, owner)?.startsWith('Identity: balloon') === true)
  assert.match(String(await told(running)), /^Identity: balloon/)
  assert.match(String(await greeted(running)), /^Identity: balloon/)
})

test('a client that can ask has the change approved in the same call, in both eras', { timeout }, async (t) => {
  const { running } = await start(t)
  const yes = { action: 'accept', content: { approve: true } }
  const first = await rpc(running, { path: PATH, ...modern('tools/call', change('modern'), { capabilities: ELICITS }) })
  assert.match(String(at(first.messages[0], 'result.inputRequests.approve.params.message')), /\n\+ modern$/)
  const requestState = at(first.messages[0], 'result.requestState')
  const retry = change('modern', { inputResponses: { approve: yes }, requestState })
  const done = await rpc(running, { path: PATH, ...modern('tools/call', retry, { capabilities: ELICITS }) })
  assert.equal(at(done.messages[0], 'result.content.0.text'), 'Approved: change identity (global).')
  assert.match(String(await told(running)), /^Identity: modern/)

  const session = await openSession(running, { path: PATH, capabilities: ELICITS })
  const asked = { path: PATH, headers: session.headers, body: call('tools/call', change('older'), 'c') }
  const stream = await open(running, asked)
  const question = await stream.until((message) => at(message, 'method') === 'elicitation/create')
  assert.match(String(at(question, 'params.message')), /\n- modern\n\+ older$/)
  const body = { jsonrpc: '2.0', id: at(question, 'id'), result: yes }
  await rpc(running, { path: PATH, headers: session.headers, body })
  const end = await stream.until((message) => at(message, 'id') === 'c')
  assert.equal(at(end, 'result.content.0.text'), 'Approved: change identity (global).')
  assert.match(String(await told(running)), /^Identity: older/)
})

test('the platform of crow-guide is completed on the wire', { timeout }, async (t) => {
  const { running } = await start(t)
  const params = { ref: { type: 'ref/prompt', name: 'crow-guide' }, argument: { name: 'platform', value: 'cl' } }
  const answer = await rpc(running, { path: PATH, ...modern('completion/complete', params) })
  assert.deepEqual(at(answer.messages[0], 'result.completion.values'), ['claude', 'cline'])
})
