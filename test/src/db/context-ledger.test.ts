// Lines of the context ledger in the database: a bound of clients a day, filters, and days that go.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LEDGER_DAYS, startLedgerSweep } from '../../../src/db/audit-sweep.ts'
import { CLIENTS_A_DAY, ledgerWriter, readLedger, type LedgerLine } from '../../../src/db/context-ledger.ts'
import { DAY_MS } from '../../../src/lib/time.ts'
import { temporaryDatabase } from './temporary.ts'

const timeout = 20_000

const line = (more: Partial<LedgerLine> = {}): LedgerLine => ({
  day: 5,
  caller: 'local:1',
  client: 'laptop',
  mount: 'router',
  lists: 1,
  listBytes: 10,
  directBytes: 70,
  discovers: 2,
  discoverBytes: 20,
  errors: 3,
  errorBytes: 30,
  replies: 4,
  replyBytes: 40,
  ...more,
})

test(
  'a day tells so many clients apart, in any number of writes; those that it knows go on',
  { timeout },
  async (t) => {
    const db = await temporaryDatabase(t)
    const many = Array.from({ length: CLIENTS_A_DAY + 10 }, (_, index) =>
      line({ caller: `oauth:${index}`, client: 'c' }),
    )
    for (const each of many) await db.write(() => ledgerWriter(db).add([each]))
    await db.write(() =>
      ledgerWriter(db).add([line({ caller: 'oauth:0', client: 'c', mount: 'memory' }), line({ day: 6 })]),
    )
    const lines = readLedger(db, { since: 5 })
    assert.equal(new Set(lines.filter(({ day }) => day === 5).map(({ caller }) => caller)).size, CLIENTS_A_DAY + 1)
    assert.deepEqual(
      lines.find(({ caller }) => caller === 'other'),
      line({
        caller: 'other',
        client: 'other',
        lists: 10,
        listBytes: 100,
        directBytes: 700,
        discovers: 20,
        discoverBytes: 200,
        errors: 30,
        errorBytes: 300,
        replies: 40,
        replyBytes: 400,
      }),
    )
    assert.equal(lines.filter(({ caller }) => caller === 'oauth:0').length, 2)
    assert.deepEqual(lines[0], line({ day: 6 }))
  },
)

test('lines are found by day, by exactly one caller, or by a client however it is called', { timeout }, async (t) => {
  const db = await temporaryDatabase(t)
  const lines = [
    line(),
    line({ caller: 'oauth:2', client: 'Laptop' }),
    line({ day: 4 }),
    line({ caller: 'local:11', client: 'local:1' }),
  ]
  await db.write(() => ledgerWriter(db).add(lines))
  const found = (filter: Parameters<typeof readLedger>[1]) =>
    readLedger(db, filter).map(({ day, caller }) => `${day} ${caller}`)
  assert.deepEqual(found({ since: 5, caller: 'local:1' }), ['5 local:1'])
  assert.deepEqual(found({ since: 5, client: 'LAPTOP' }).toSorted(), ['5 local:1', '5 oauth:2'])
  assert.deepEqual(found({ since: 0, client: 'oauth:2' }), ['5 oauth:2'])
  assert.deepEqual(found({ since: 0, caller: 'laptop' }), [])
})

test('days that are too old go with the sweep', { timeout }, async (t) => {
  const db = await temporaryDatabase(t)
  const today = 20_000
  const days = [today - LEDGER_DAYS - 1, today - LEDGER_DAYS, today]
  await db.write(() => ledgerWriter(db).add(days.map((day) => line({ day }))))
  await startLedgerSweep(db, { warn: () => undefined }, { clock: { now: () => today * DAY_MS + 5 } })()
  assert.deepEqual(
    readLedger(db, { since: 0 }).map(({ day }) => day),
    days.slice(1).toReversed(),
  )
})
