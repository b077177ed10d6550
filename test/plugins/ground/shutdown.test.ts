// How the gateway leaves, seen from its clients: who is still answered, with what, and what every answer says.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Agent } from 'node:http'
import { connect, type Socket } from 'node:net'
import { test, type TestContext } from 'node:test'
import { wireOf } from '../../../plugins/mcp/index.ts'
import { at, call, modern, open, openSession, rpc } from '../../fixtures/rpc.ts'
import { startApp, type RunningApp } from '../../fixtures/running-app.ts'
import { isAnswer, startSse, until } from '../../fixtures/sse.ts'
import { wireServer } from '../../fixtures/wire-server.ts'

const TIMEOUT = { timeout: 30_000 }
const PATH = '/wire/mcp'

async function start(t: TestContext, env: Record<string, string> = {}) {
  const wire = wireServer()
  const running = await startApp({ CROW_SHUTDOWN_DRAIN_MS: '300', ...env }, { servers: [wire.definition] })
  t.after(() => running.close())
  return { wire, running }
}

const waiting = (name: string, more: object = {}) => ({ name: 'wait', arguments: { name }, ...more })

/** A connection written to by hand. */
async function raw(t: TestContext, { port }: RunningApp): Promise<{ socket: Socket; received: () => string }> {
  const socket = connect(port, '127.0.0.1')
  t.after(() => socket.destroy())
  let text = ''
  socket.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
  await once(socket, 'connect')
  return { socket, received: () => text }
}

const head = ({ token }: RunningApp, path: string, length: number): string =>
  `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${token}\r\ncontent-type: application/json\r\naccept: application/json\r\nmcp-protocol-version: 2026-07-28\r\nmcp-method: tools/call\r\nmcp-name: wait\r\ncontent-length: ${length}\r\n\r\n`

test('health says draining, with 503, where a connection is still open; new ones are refused', TIMEOUT, async (t) => {
  const { wire, running } = await start(t, { CROW_SHUTDOWN_DRAIN_MS: '5000' })
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  t.after(() => agent.destroy())
  const kept = { port: running.port, token: running.token, agent }
  const before = await rpc(kept, { method: 'GET', path: '/health' })
  assert.deepEqual([before.status, at(before.messages[0], 'status')], [200, 'ok'])
  const held = rpc(running, { path: PATH, ...modern('tools/call', waiting('held')) })
  await wire.started()
  const closing = running.app.close()
  const during = await rpc(kept, { method: 'GET', path: '/health' })
  assert.deepEqual([during.status, at(during.messages[0], 'status')], [503, 'draining'])
  assert.equal(during.headers.connection, 'close')
  await assert.rejects(rpc(kept, { method: 'GET', path: '/health' }), /ECONNREFUSED/)
  wire.release()
  const answer = await held
  assert.equal(answer.headers.connection, 'close')
  assert.equal(at(answer.messages[0], 'result.content.0.text'), 'done held')
  await closing
})

test(
  'past the drain every call gets an error in JSON-RPC, whatever it came by, and its tool is told to stop',
  TIMEOUT,
  async (t) => {
    const { wire, running } = await start(t)
    const session = await openSession(running, { path: PATH })
    const sse = await startSse(running, '/wire/sse')
    const progress = { _meta: { progressToken: 1 } }
    const inSession = (name: string, more: object = {}) => ({
      path: PATH,
      headers: session.headers,
      body: call('tools/call', waiting(name, more), name),
    })
    const calls = [
      rpc(running, { path: PATH, ...modern('tools/call', waiting('modern'), { id: 'modern' }) }),
      rpc(running, {
        path: PATH,
        ...modern('tools/call', waiting('streamed'), { id: 'streamed', meta: progress._meta }),
      }),
      rpc(running, inSession('session')),
      rpc(running, inSession('session streamed', progress)),
    ]
    const names = ['modern', 'streamed', 'session', 'session streamed']
    await sse.post(call('tools/call', waiting('sse'), 'sse'))
    const overSse = sse.stream.until(isAnswer('sse'))
    const { calls: pending } = wireOf(running.app)
    await until(() => pending.size === 5, 'all calls wait')
    const closedAt = performance.now()
    await running.app.close()
    assert.ok(performance.now() - closedAt < 1_300)
    const answers = await Promise.all(calls)
    for (const [index, answer] of answers.entries()) {
      const last = answer.messages.at(-1)
      assert.equal(at(last, 'id'), names[index], answer.text)
      assert.equal(at(last, 'error.code'), -32000, answer.text)
      assert.equal(at(last, 'error.data.code'), 'SHUTTING_DOWN', answer.text)
    }
    assert.equal(at(await overSse, 'error.data.code'), 'SHUTTING_DOWN')
    assert.equal(await sse.stream.ended, 'ended')
    assert.deepEqual(wire.aborted.toSorted(), [...names, 'sse'].toSorted())
  },
)

test('a request whose body never comes is answered in the dialect of its path', TIMEOUT, async (t) => {
  const { running } = await start(t)
  const clients = await Promise.all(
    ['/wire/mcp', '/wire/messages?sessionId=x'].map(async (path) => {
      const client = await raw(t, running)
      client.socket.write(`${head(running, path, 100)}{"json`)
      return client
    }),
  )
  await until(() => clients.every(({ socket }) => socket.bytesWritten > 100))
  await rpc(running, { method: 'GET', path: '/health' })
  await running.app.close()
  for (const { received } of clients) {
    await until(() => received().includes('SHUTTING_DOWN'), received())
    assert.match(received(), /^HTTP\/1\.1 503 /)
    assert.match(received(), /^connection: close\r$/im)
    assert.match(received(), /^retry-after: 5\r$/im)
    assert.match(received(), /^content-type: application\/json/im)
    const body: unknown = JSON.parse(
      received()
        .split('\r\n\r\n')[1]
        ?.replace(/^[0-9a-f]+\r\n|\r\n0$/g, '') ?? '',
    )
    assert.equal(at(body, 'jsonrpc'), '2.0')
  }
})

test('pipelined requests are all answered, and only the last of them closes the connection', TIMEOUT, async (t) => {
  const { wire, running } = await start(t, { CROW_SHUTDOWN_DRAIN_MS: '5000' })
  const client = await raw(t, running)
  const write = (name: string): void => {
    const body = JSON.stringify(modern('tools/call', waiting(name), { id: name }).body)
    client.socket.write(head(running, PATH, Buffer.byteLength(body)) + body)
  }
  write('one')
  await wire.started()
  write('two')
  await wire.started()
  const closing = running.app.close()
  write('three')
  await wire.started()
  wire.release()
  await closing
  await until(() => client.socket.readableEnded || client.socket.closed)
  const answers = client.received().split(/(?=HTTP\/1\.1 )/)
  assert.deepEqual(
    answers.map((answer) => /"text":"done (\w+)"/.exec(answer)?.[1]),
    ['one', 'two', 'three'],
  )
  assert.deepEqual(
    answers.map((answer) => /^connection: close\r$/im.test(answer)),
    [false, false, true],
  )
})

test('no stream opens while the gateway drains', TIMEOUT, async (t) => {
  const { wire, running } = await start(t, { CROW_SHUTDOWN_DRAIN_MS: '5000' })
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  t.after(() => agent.destroy())
  const kept = { port: running.port, token: running.token, agent }
  await rpc(kept, { method: 'GET', path: '/health' })
  const held = rpc(running, { path: PATH, ...modern('tools/call', waiting('held')) })
  await wire.started()
  const closing = running.app.close()
  const refused = await rpc(kept, { method: 'GET', path: '/wire/sse' })
  assert.deepEqual([refused.status, refused.headers['retry-after']], [503, '5'])
  wire.release()
  await held
  await closing
})

test('listeners hold nothing up, nor does one that does not read', TIMEOUT, async (t) => {
  const { running } = await start(t, { CROW_SHUTDOWN_DRAIN_MS: '20000' })
  const filter = { notifications: { toolsListChanged: true } }
  const listen = await open(running, { path: PATH, ...modern('subscriptions/listen', filter) })
  const sse = await startSse(running, '/wire/sse')
  const deaf = await startSse(running, '/wire/sse')
  deaf.stream.pause()
  const startedAt = performance.now()
  await running.app.close()
  assert.ok(performance.now() - startedAt < 2_000)
  for (const { ended } of [listen, sse.stream]) assert.equal(await ended, 'ended')
})

test(
  'a room that does not end, or fails to, keeps nobody longer than half a second after the drain',
  TIMEOUT,
  async (t) => {
    const { wire, running } = await start(t)
    const { shutdown } = running.app
    for (const end of [() => new Promise<void>(() => undefined), () => Promise.reject(new Error('no'))])
      shutdown.join({ isBusy: () => true, cut: () => undefined, end })
    const held = rpc(running, { path: PATH, ...modern('tools/call', waiting('held')) })
    await wire.started()
    const startedAt = performance.now()
    assert.equal(shutdown.isOver, false)
    await running.app.close()
    assert.equal(shutdown.isOver, true)
    assert.ok(performance.now() - startedAt < 300 + 1_000)
    assert.equal(at((await held).messages[0], 'error.data.code'), 'SHUTTING_DOWN')
  },
)
