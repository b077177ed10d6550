// Clients that open sessions and never end them: what they cost is bounded, and nobody at work notices.
import assert from 'node:assert/strict'
import { Agent } from 'node:http'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { wireOf } from '../../../plugins/mcp/index.ts'
import { at, call, initialize, open, openSession, rpc } from '../../fixtures/rpc.ts'
import { startApp } from '../../fixtures/running-app.ts'
import { startSse } from '../../fixtures/sse.ts'
import { wireServer } from '../../fixtures/wire-server.ts'

const TIMEOUT = { timeout: 180_000 }
const PATH = '/wire/mcp'
const CALLERS = 10
const FLOOD = 5_000
/** Per session that is kept, generously: a session with its SDK server takes a few tens of KiB. */
const KEPT_MIB_MAX = 150

/** What is in use after a full collection. */
function heapMiB(): number {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc()')
  return process.memoryUsage().heapUsed / 2 ** 20
}

test('five thousand sessions that nobody ends are bounded, and the live ones are untouched', TIMEOUT, async (t) => {
  const wire = wireServer()
  const running = await startApp({}, { servers: [wire.definition] })
  const agent = new Agent({ keepAlive: true, maxSockets: 16 })
  t.after(async () => {
    agent.destroy()
    await running.close()
  })
  const { sessions, streams } = wireOf(running.app)
  const { config } = running.app
  const listening = await openSession(running, { path: PATH })
  const stream = await open(running, { method: 'GET', path: PATH, headers: listening.headers })
  const sse = await startSse(running, '/wire/sse')
  const working = await openSession(running, { path: PATH })
  const work = rpc(running, {
    path: PATH,
    headers: working.headers,
    body: call('tools/call', { name: 'wait', arguments: { name: 'long' } }, 'long'),
  })
  await wire.started()
  const callers = [running.token]
  for (let number = 1; number < CALLERS; number++)
    callers.push((await running.app.tokens.create({ name: `caller ${number}` })).secret)
  const before = heapMiB()
  let sizeMax = 0
  const flood = async (token: string): Promise<void> => {
    for (let opened = 0; opened < FLOOD / CALLERS; opened++) {
      const answer = await rpc({ port: running.port, token, agent }, { path: PATH, body: initialize() })
      assert.equal(answer.status, 200)
      sizeMax = Math.max(sizeMax, sessions.size)
    }
  }
  await Promise.all(callers.map(flood))
  assert.ok(sizeMax <= config.sessions.max, `${sizeMax} sessions`)
  const grown = heapMiB() - before
  assert.ok(grown < KEPT_MIB_MAX, `the heap has grown by ${grown.toFixed(0)} MiB for ${sessions.size} sessions`)
  assert.equal(streams.open, 2)
  running.app.bus.emit({ kind: 'tools' })
  await stream.until((message) => at(message, 'method') === 'notifications/tools/list_changed')
  assert.ok(at(await sse.ask('tools/list'), 'result.tools'))
  wire.release()
  assert.equal(at((await work).messages.at(-1), 'result.content.0.text'), 'done long')
  const again = { path: PATH, headers: working.headers, body: call('tools/list') }
  assert.equal((await rpc(running, again)).status, 200)
})
