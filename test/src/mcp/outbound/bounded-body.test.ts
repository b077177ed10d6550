import assert from 'node:assert/strict'
import { test } from 'node:test'
import { boundedBody } from '../../../../src/mcp/outbound/bounded-body.ts'

const timeout = 10_000
const bytes = new TextEncoder()

/** @returns how many chunks were taken from the server before it ended, or failed */
async function taken(type: string, chunk: string, count: number): Promise<{ chunks: number; failure: unknown }> {
  let chunks = 0
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (chunks++ < count) controller.enqueue(bytes.encode(chunk))
      else controller.close()
    },
  })
  const response = boundedBody(new Response(body, { headers: { 'content-type': type } }), 1_000)
  const failure = await response.text().then(
    () => undefined,
    (error: unknown) => error,
  )
  return { chunks, failure }
}

test('a body that does not end is read no further than its bound', { timeout }, async () => {
  const { chunks, failure } = await taken('application/json', 'x'.repeat(100), 1_000_000)
  assert.match(String(failure), /more than 1000 bytes/)
  assert.ok(chunks < 20, String(chunks))
  assert.equal((await taken('application/json', 'x'.repeat(100), 10)).failure, undefined)
})

test('a stream may go on for ever, one event of it may not', { timeout }, async () => {
  for (const event of ['data: 1\n\n', 'data: 1\r\n\r\n', 'data: 1\r\r', ':\n\n'.repeat(60)])
    assert.equal((await taken('text/event-stream', event, 2_000)).failure, undefined, JSON.stringify(event))
  for (const part of ['data: 1\n', 'data: 1\r\n', 'x'.repeat(50)])
    assert.match(String((await taken('text/event-stream', part, 1_000_000)).failure), /more than/, JSON.stringify(part))
})

test('an empty line between two chunks ends an event', { timeout }, async () => {
  assert.equal((await taken('text/event-stream', `\n${'x'.repeat(50)}\n`, 2_000)).failure, undefined)
})
