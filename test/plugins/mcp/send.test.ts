// A stream that breaks breaks off its own answer, and nothing else.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import type { UnderlyingSource } from 'node:stream/web'
import { test, type TestContext } from 'node:test'
import Fastify from 'fastify'
import { sendAnswer } from '../../../plugins/mcp/send.ts'

const timeout = 10_000

/** A server that answers every GET with the stream that `source` describes. @param isReady what it waits for before */
async function serving(
  t: TestContext,
  source: UnderlyingSource<Uint8Array>,
  isReady: (closed: Promise<unknown>) => Promise<unknown> = () => Promise.resolve(),
) {
  const app = Fastify()
  const { promise: ended, resolve } = Promise.withResolvers<void>()
  app.decorateRequest('pass')
  app.get('/', async (_request, reply) => {
    await isReady(once(reply.raw, 'close'))
    return sendAnswer(reply, { status: 200, headers: {}, events: new ReadableStream(source), ended: resolve })
  })
  t.after(() => app.close())
  return { origin: await app.listen({ port: 0, host: '127.0.0.1' }), ended }
}

/** What the process would have died of while `work` ran. */
async function unhandled(t: TestContext, work: () => Promise<void>): Promise<unknown[]> {
  const reasons: unknown[] = []
  const note = (reason: unknown): void => void reasons.push(reason)
  process.prependListener('unhandledRejection', note)
  t.after(() => process.off('unhandledRejection', note))
  await work()
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve))
  return reasons
}

test('events that break end the connection, not the process', { timeout }, async (t) => {
  const { promise: isSeen, resolve: seen } = Promise.withResolvers<void>()
  const { origin, ended } = await serving(t, {
    async pull(controller) {
      controller.enqueue(Buffer.from('data: 1\n\n'))
      await isSeen
      controller.error(new Error('the source is gone'))
    },
  })
  const reasons = await unhandled(t, async () => {
    const answer = await fetch(origin)
    const reader = answer.body?.getReader()
    assert.equal(Buffer.from((await reader?.read())?.value ?? '').toString(), 'data: 1\n\n')
    seen()
    await assert.rejects(async () => await reader?.read())
    await ended
  })
  assert.deepEqual(reasons, [])
})

test('a client that leaves cancels the events, also when they cannot be cancelled', { timeout }, async (t) => {
  const cancelled = Promise.withResolvers<void>()
  const { origin, ended } = await serving(t, {
    start: (controller) => controller.enqueue(Buffer.from('data: 1\n\n')),
    cancel() {
      cancelled.resolve()
      throw new Error('it will not stop')
    },
  })
  const reasons = await unhandled(t, async () => {
    const leaving = new AbortController()
    const answer = await fetch(origin, { signal: leaving.signal })
    await answer.body?.getReader().read()
    leaving.abort()
    await cancelled.promise
    await ended
  })
  assert.deepEqual(reasons, [])
})

test('a client that left before its stream was ready leaves nothing behind', { timeout }, async (t) => {
  const asked = Promise.withResolvers<void>()
  const cancelled = Promise.withResolvers<void>()
  const source = { cancel: () => cancelled.resolve() }
  const { origin, ended } = await serving(t, source, async (closed) => {
    asked.resolve()
    await closed
  })
  const socket = connect(Number(new URL(origin).port), '127.0.0.1')
  socket.write('GET / HTTP/1.1\r\nhost: localhost\r\n\r\n')
  await asked.promise
  socket.destroy()
  await cancelled.promise
  await ended
})

test('a reader that is slow again and again is waited for by one listener', { timeout }, async (t) => {
  const [events, bytes] = [200, 64 << 10]
  const looks = t.mock.getter(ReadableStreamDefaultReader.prototype, 'closed')
  let sent = 0
  const { origin, ended } = await serving(t, {
    pull(controller) {
      if (sent++ < events) controller.enqueue(Buffer.alloc(bytes, 'x'))
      else controller.close()
    },
  })
  const answer = await fetch(origin)
  assert.equal((await answer.arrayBuffer()).byteLength, events * bytes)
  await ended
  // The reader of the answer, on the side of the client, is another one.
  assert.ok(looks.mock.callCount() <= 2, `${looks.mock.callCount()} listeners`)
})
