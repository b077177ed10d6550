// How the ledger comes to the disk: a moment later, in one write, whatever fails meanwhile, and together with other processes.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openDatabase } from '../../../../src/db/client.ts'
import { readLedger } from '../../../../src/db/context-ledger.ts'
import { DAY_MS } from '../../../../src/lib/time.ts'
import { createContextLedger } from '../../../../src/runtime/ledger/ledger.ts'
import { temporaryDatabase, temporaryFolder } from '../../db/temporary.ts'
import { callerOf, listed, replied } from './events.ts'

const timeout = 20_000
const quiet = { warn: () => undefined }

test(
  'an event is in the database within two seconds without anybody asking, and not at once',
  { timeout },
  async (t) => {
    const db = await temporaryDatabase(t)
    const ledger = createContextLedger(db, quiet)
    t.after(() => ledger.close())
    const changes = db.sqlite.prepare('SELECT total_changes()').pluck()
    const before = Number(changes.get())
    const began = Date.now()
    for (let event = 0; event < 1000; event++) {
      ledger.observer.onList?.(listed())
      ledger.observer.onEnd?.(replied({ via: 'router' }))
    }
    assert.deepEqual(readLedger(db, { since: 0 }), [])
    while (readLedger(db, { since: 0 }).length === 0 && Date.now() - began < 5000)
      await new Promise((resolve) => setImmediate(resolve))
    assert.ok(Date.now() - began < 2000, `${Date.now() - began} ms`)
    assert.deepEqual(
      readLedger(db, { since: 0 }).map(({ lists, replies }) => [lists, replies]),
      [[1000, 1000]],
    )
    assert.equal(Number(changes.get()) - before, 1)
  },
)

test('what cannot be written is kept, told, and written with what came meanwhile', { timeout }, async (t) => {
  const db = await temporaryDatabase(t)
  const warnings: string[] = []
  const ledger = createContextLedger(db, { warn: (_detail, message) => void warnings.push(message ?? '') })
  t.after(() => ledger.close())
  db.sqlite.exec(`CREATE TEMP TRIGGER refuse BEFORE INSERT ON context_ledger BEGIN SELECT RAISE(ABORT, 'no'); END`)
  ledger.observer.onList?.(listed())
  await ledger.flush()
  assert.match(warnings[0] ?? '', /could not be written; trying again/)
  ledger.observer.onList?.(listed())
  ledger.observer.onList?.(listed({ at: DAY_MS }))
  db.sqlite.exec('DROP TRIGGER refuse')
  await ledger.flush()
  assert.deepEqual(
    readLedger(db, { since: 0 }).map(({ day, lists }) => [day, lists]),
    [
      [1, 1],
      [0, 2],
    ],
  )
  assert.equal(warnings.length, 1)
})

test('processes on one database add up, and closing writes what is counted', { timeout }, async (t) => {
  const dataDir = temporaryFolder(t)
  const one = await temporaryDatabase(t, { dataDir })
  const other = await openDatabase({ dataDir })
  t.after(() => other.close())
  for (const db of [one, other, one]) {
    const ledger = createContextLedger(db, quiet)
    ledger.observer.onList?.(listed({ caller: callerOf('oauth:4', 'Claude') }))
    ledger.observer.onEnd?.(replied({ caller: callerOf('oauth:4', 'Claude'), server: 'router', via: 'router' }))
    await ledger.close()
  }
  const [line, ...more] = readLedger(one, { since: 0 })
  assert.deepEqual(more, [])
  assert.deepEqual(line, {
    day: 0,
    caller: 'oauth:4',
    client: 'Claude',
    mount: 'router',
    lists: 3,
    listBytes: 300,
    directBytes: 2100,
    discovers: 3,
    discoverBytes: 30,
    errors: 0,
    errorBytes: 0,
    replies: 0,
    replyBytes: 0,
  })
})

test('closing does not hang on a database that is gone', { timeout }, async (t) => {
  const db = await temporaryDatabase(t)
  const warnings: string[] = []
  const ledger = createContextLedger(db, { warn: (_detail, message) => void warnings.push(message ?? '') })
  ledger.observer.onList?.(listed())
  await db.close()
  await ledger.close()
  assert.equal(warnings.length, 1)
})
