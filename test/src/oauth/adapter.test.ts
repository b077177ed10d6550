import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createAdapter, isInFlight } from '../../../src/oauth/store/adapter.ts'
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

test(
  'a refresh is in flight from its first write on, until its successor is used or the moment is over',
  { timeout },
  async (t) => {
    const db = await temporaryDatabase(t)
    const time = { now: 1_000_000 }
    const tokens = createAdapter({
      db,
      clock: { now: () => time.now },
      onRevoked: () => undefined,
      usedUp: () => new Error('used up'),
      unavailable: () => new Error('unavailable'),
    })('RefreshToken')
    const store = (id: string, rotations?: number): Promise<unknown> =>
      tokens.upsert(
        id,
        { kind: 'RefreshToken', grantId: 'family', ...(rotations === undefined ? {} : { rotations }) },
        600,
      )
    const inFlight = (): boolean => isInFlight(db, 'old', time.now, 10_000)
    await store('old')
    assert.equal(inFlight(), false)
    await tokens.consume('old')
    assert.equal(inFlight(), true, 'the successor is not stored yet')
    await store('new', 1)
    assert.equal(inFlight(), true)
    time.now += 10_000
    assert.equal(inFlight(), false)
    time.now -= 5_000
    await tokens.consume('new')
    assert.equal(inFlight(), false)
  },
)
