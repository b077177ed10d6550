import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createAdapter } from '../../../src/oauth/store/adapter.ts'
import { temporaryDatabase } from '../db/temporary.ts'

const timeout = 20_000

test('a model without a known name stores nothing, where its ids might open doors', { timeout }, async (t) => {
  const db = await temporaryDatabase(t)
  const adapter = createAdapter({
    db,
    clock: { now: () => 0 },
    onRevoked: () => undefined,
    usedUp: () => new Error('used up'),
    unavailable: () => new Error('unavailable'),
  })
  for (const model of ['', 'e', 'AccessToken2', 'constructor']) assert.throws(() => adapter(model), /unknown model/)
  assert.ok(adapter('AccessToken'))
})
