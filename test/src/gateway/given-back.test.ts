// The lease of the external servers, as a process holds it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Custody } from '../../../src/gateway/custody.ts'
import { processLog } from '../../../src/gateway.ts'
import { temporaryDatabase } from '../db/temporary.ts'

const timeout = 10_000

test('what is given back while it is being taken is not held by anybody', { timeout }, async (t) => {
  const db = await temporaryDatabase(t)
  const clock = { now: () => 10_000 }
  const of = (holder: string) =>
    new Custody({
      database: db,
      clock,
      log: processLog({ logLevel: 'silent' }),
      holder,
      prepare: async () => undefined,
      isElsewhere: () => false,
      handOver: () => undefined,
    })
  const [first, second] = [of('a'), of('b')]
  const taking = first.take()
  await first.release()
  assert.equal(await taking, true)
  assert.equal(first.isHeld, false)
  assert.equal(await second.take(), true)
  await second.release()
})
