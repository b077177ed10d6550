// Events of a session: bounded, replayed to their own stream only, and unknown to every other session.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JSONRPCMessage } from '@modelcontextprotocol/server'
import { SessionEvents } from '../../../src/mcp/event-store.ts'

const TIMEOUT = { timeout: 5_000 }
const BOUNDS = { eventsMax: 4, bytesMax: 1_000, ageMs: 1_000 }

const message = (text: string): JSONRPCMessage => ({
  jsonrpc: '2.0',
  method: 'notifications/message',
  params: { text },
})

async function replayed(events: SessionEvents, after: string): Promise<unknown[]> {
  const sent: unknown[] = []
  await events.replayEventsAfter(after, { send: async (_id, event) => void sent.push(event) })
  return sent
}

test('events after the last one seen are replayed in order, and only those of the same stream', TIMEOUT, async () => {
  const events = new SessionEvents(() => 0, BOUNDS)
  const first = await events.storeEvent('a', message('a1'))
  await events.storeEvent('b', message('b1'))
  await events.storeEvent('a', message('a2'))
  await events.storeEvent('a', message('a3'))
  assert.equal(await events.getStreamIdForEventId(first), 'a')
  assert.deepEqual(await replayed(events, first), [message('a2'), message('a3')])
})

test('an event id of another session is unknown', TIMEOUT, async () => {
  const one = new SessionEvents(() => 0, BOUNDS)
  const other = new SessionEvents(() => 0, BOUNDS)
  const id = await one.storeEvent('_GET_stream', message('private'))
  await other.storeEvent('_GET_stream', message('mine'))
  assert.equal(await other.getStreamIdForEventId(id), undefined)
  await assert.rejects(replayed(other, id), /unknown event id/)
  for (const odd of ['', '.', 'x.y.z', `${id}x.1`, '1']) assert.equal(await other.getStreamIdForEventId(odd), undefined)
})

test('the oldest events go first, by count, by bytes and by age', TIMEOUT, async () => {
  let now = 0
  const events = new SessionEvents(() => now, BOUNDS)
  const first = await events.storeEvent('a', message('0'))
  for (const text of ['1', '2', '3', '4', '5']) await events.storeEvent('a', message(text))
  assert.equal(events.size, 4)
  assert.deepEqual(await replayed(events, first), ['2', '3', '4', '5'].map(message))
  await events.storeEvent('a', message('x'.repeat(900)))
  assert.ok(events.bytes <= BOUNDS.bytesMax)
  now = 1_001
  events.prune()
  assert.equal(events.size, 0)
  assert.equal(events.bytes, 0)
})

test('a message larger than the whole store is not kept and evicts nothing', TIMEOUT, async () => {
  const events = new SessionEvents(() => 0, BOUNDS)
  const first = await events.storeEvent('a', message('small'))
  await events.storeEvent('a', message('x'.repeat(2_000)))
  assert.equal(events.size, 1)
  assert.deepEqual(await replayed(events, first), [])
})

test('priming events are resumable but never replayed', TIMEOUT, async () => {
  const events = new SessionEvents(() => 0, BOUNDS)
  // The SDK stores an empty message to make the id of its priming event.
  const priming = await events.storeEvent('a', JSON.parse('{}'))
  await events.storeEvent('a', message('later'))
  assert.deepEqual(await replayed(events, priming), [message('later')])
  assert.equal(events.size, 2)
})
