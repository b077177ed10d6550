// A stream that breaks breaks off its own answer, and nothing else.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { get, type ServerResponse } from 'node:http'
import type { UnderlyingSource } from 'node:stream/web'
import { test, type TestContext } from 'node:test'
import Fastify from 'fastify'
import { sendAnswer } from '../../../plugins/mcp/send.ts'

const timeout = 10_000

/** A server that answers every GET with the stream that `source` describes. */
async function serving(t: TestContext, source: UnderlyingSource<Uint8Array>, first?: (raw: ServerResponse) => unknown) {
  const app = Fastify()
  const { promise: ended, resolve } = Promise.withResolvers<void>()
  app.decorateRequest('pass')
  app.get('/', async (_request, reply) => {
    await first?.(reply.raw)
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

test('a client that left before its stream began holds nothing', { timeout }, async (t) => {
  const cancelled = Promise.withResolvers<void>()
  const asked = Promise.withResolvers<void>()
  const source = {
    start: (controller: ReadableStreamDefaultController<Uint8Array>) => controller.enqueue(Buffer.from('data: 1\n\n')),
    cancel: () => cancelled.resolve(),
  }
  const { origin, ended } = await serving(t, source, (raw) => {
    asked.resolve()
    return once(raw, 'close')
  })
  const client = get(origin)
  client.on('error', () => undefined)
  await asked.promise
  client.destroy()
  await cancelled.promise
  await ended
})
