import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Custody, type CustodyOptions } from '../../../src/gateway/custody.ts'
import { systemClock } from '../../../src/lib/time.ts'
import { temporaryDatabase } from '../db/temporary.ts'

const timeout = 30_000
const nothing = (): void => undefined
const log = { debug: nothing, info: nothing, warn: nothing, error: nothing }

test('nothing begins before what was left has ended, whoever asks meanwhile', { timeout }, async (t) => {
  const database = await temporaryDatabase(t)
  const gate = Promise.withResolvers<void>()
  const common = { database, log, isElsewhere: () => false, handOver: nothing }
  const options: CustodyOptions = { ...common, clock: systemClock, holder: 'one', prepare: () => gate.promise }
  const custody = new Custody(options)
  const first = custody.take()
  while (!custody.isHeld) await new Promise((resolve) => setImmediate(resolve))
  let isTaken = false
  const second = custody.take().then((taken) => (isTaken = taken))
  await new Promise((resolve) => setImmediate(resolve))
  assert.equal(isTaken, false)
  gate.resolve()
  assert.deepEqual(await Promise.all([first, second]), [true, true])

  let handedOver = 0
  const other = new Custody({
    ...options,
    holder: 'two',
    prepare: () => Promise.resolve(),
    handOver: () => handedOver++,
  })
  assert.equal(await other.take(), false)
  await custody.yield()
  assert.equal(await other.take(), true)
  assert.equal(await custody.take(), false)
  await other.yield()
  await other.yield()
  assert.equal(handedOver, 1)
  await custody.release()
})
