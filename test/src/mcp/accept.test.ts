// Accept headers as real clients send them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { acceptable } from '../../../src/mcp/accept.ts'

const TIMEOUT = { timeout: 5_000 }

test('an Accept header is read leniently, and only a form that is neither JSON nor events is refused', TIMEOUT, () => {
  const cases: readonly [string | undefined, boolean, boolean][] = [
    [undefined, true, true],
    ['', true, true],
    ['*/*', true, true],
    ['application/json, text/event-stream', true, true],
    ['text/event-stream, application/json', true, true],
    ['application/json;q=0.9, text/event-stream;q=0.1', true, true],
    ['APPLICATION/JSON', true, false],
    ['application/json; charset=utf-8', true, false],
    ['application/*', true, false],
    ['text/event-stream', false, true],
    ['text/*', false, true],
    ['application/json;q=0, text/event-stream', false, true],
    ['application/json;q=0.000', false, false],
    ['image/png', false, false],
    ['image/png, */*;q=0.1', true, true],
    ['text/html', false, false],
  ]
  for (const [header, json, events] of cases) assert.deepEqual({ ...acceptable(header) }, { json, events }, header)
})
