// The audit trail: written in groups, kept while it cannot be written, and events at the doors as rows beside the calls.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createAuditLog } from '../../../src/db/audit.ts'
import { newestAudit } from '../../../src/db/audit-reader.ts'
import { temporaryDatabase } from './temporary.ts'

const timeout = 20_000
const quiet = { warn: () => undefined }
const clock = { now: () => 7000 }

const row = (at: number) => ({
  at,
  caller: 'local:1',
  callerKind: 'local',
  client: 'laptop',
  session: 'a1b2',
  server: 'memory',
  tool: 'search_memories',
  effect: 'read',
  outcome: 'ok',
  bytes: at,
  durationMs: 1.6,
})
const written = (at: number) => ({ ...row(at), durationMs: 2, address: null, subject: null })

test('every recorded row is written once, in order, whatever their number', { timeout }, async (t) => {
  const db = await temporaryDatabase(t)
  const audit = createAuditLog(db, quiet, clock)
  for (const size of [1, 31, 32, 33, 100]) {
    for (let index = 0; index < size; index++) audit.record(row(index))
    await Promise.all([audit.flush(), audit.flush()])
    const rows = newestAudit(db, {}, 1000).map(({ id: _id, ...rest }) => rest)
    assert.deepEqual(
      rows.toReversed(),
      Array.from({ length: size }, (_, index) => written(index)),
    )
    db.sqlite.exec('DELETE FROM audit')
  }
})

test('whoever flushes or closes while others flush waits for every row recorded before', { timeout }, async (t) => {
  const db = await temporaryDatabase(t)
  const audit = createAuditLog(db, quiet, clock)
  const count = db.sqlite.prepare('SELECT count(*) FROM audit').pluck()
  for (const wait of [() => audit.flush(), () => audit.close()]) {
    db.sqlite.exec('DELETE FROM audit')
    audit.record(row(1))
    const first = audit.flush()
    audit.record(row(2))
    const second = audit.flush()
    const seen = wait().then(() => count.get())
    await Promise.all([first, second])
    assert.equal(await seen, 2)
  }
})

test('a row is on disk a moment later without anybody asking', { timeout }, async (t) => {
  const db = await temporaryDatabase(t)
  const audit = createAuditLog(db, quiet, clock)
  const count = db.sqlite.prepare('SELECT count(*) FROM audit').pluck()
  audit.record(row(1))
  assert.equal(count.get(), 0)
  const deadline = Date.now() + 5000
  while (count.get() === 0 && Date.now() < deadline) await new Promise((resolve) => setImmediate(resolve))
  assert.equal(count.get(), 1)
})

test('what cannot be written is kept and reported, and closing does not hang on it', { timeout }, async (t) => {
  const db = await temporaryDatabase(t)
  const warnings: string[] = []
  const audit = createAuditLog(db, { warn: (_detail, message) => void warnings.push(message) }, clock)
  await audit.flush()
  await db.close()
  audit.record(row(1))
  await audit.flush()
  assert.equal(warnings.length, 1)
  await audit.close()
  assert.equal(warnings.length, 2)
})

test(
  'an event at the doors is a row of the gateway, with who did it, from where, and to what',
  { timeout },
  async (t) => {
    const db = await temporaryDatabase(t)
    const audit = createAuditLog(db, quiet, clock)
    audit.access({ event: 'login', outcome: 'PASSWORD_WRONG', address: '203.0.113.9' })
    audit.access({ event: 'login', outcome: 'ok', caller: 'operator', session: '4', address: '203.0.113.9' })
    audit.access({ event: 'refresh_reuse', outcome: 'refused', caller: 'oauth:12', client: 'x'.repeat(500) })
    audit.access({ event: 'token_revoke', outcome: 'ok', caller: 'cli', callerKind: 'cli', subject: 'local:3' })
    await audit.close()
    const rows = newestAudit(db, { server: 'gateway' }, 10).toReversed()
    assert.deepEqual(
      rows.map((one) => [one.tool, one.outcome, one.caller, one.callerKind, one.session, one.address, one.subject]),
      [
        ['login', 'PASSWORD_WRONG', 'stranger', 'stranger', null, '203.0.113.9', null],
        ['login', 'ok', 'operator', 'operator', '4', '203.0.113.9', null],
        ['refresh_reuse', 'refused', 'oauth:12', 'oauth', null, null, null],
        ['token_revoke', 'ok', 'cli', 'cli', null, null, 'local:3'],
      ],
    )
    assert.ok(rows.every(({ at, effect }) => at === 7000 && effect === 'access'))
    assert.equal(rows[2]?.client?.length, 128)
  },
)

test('calls and events that come mixed stay in the order they came', { timeout }, async (t) => {
  const db = await temporaryDatabase(t)
  const audit = createAuditLog(db, quiet, { now: () => 0 })
  const expected: string[] = []
  for (let index = 0; index < 100; index++) {
    const isEvent = index === 0 || index === 40 || index === 41 || index === 99
    if (isEvent) audit.access({ event: 'login', outcome: String(index), address: '::1' })
    else audit.record({ ...row(0), outcome: String(index) })
    expected.push(String(index))
  }
  await audit.close()
  const outcomes = db.sqlite.prepare('SELECT outcome FROM audit ORDER BY id').pluck().all()
  assert.deepEqual(outcomes, expected)
})
