// What can be asked of the audit trail.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { auditAfter, lastAuditId, newestAudit } from '../../../src/db/audit-reader.ts'
import { createAuditLog } from '../../../src/db/audit.ts'
import { temporaryDatabase } from './temporary.ts'

const timeout = 20_000
const quiet = { warn: () => undefined }

const base = { server: 'memory', effect: 'read', bytes: 1, durationMs: 1 }

test('the newest come first, and every filter narrows by itself and together', { timeout }, async (t) => {
  const db = await temporaryDatabase(t)
  const audit = createAuditLog(db, quiet, { now: () => 50 })
  audit.record({
    ...base,
    at: 10,
    caller: 'local:1',
    callerKind: 'local',
    client: 'laptop',
    tool: 'dream',
    outcome: 'ok',
  })
  audit.record({
    ...base,
    at: 30,
    caller: 'oauth:1',
    callerKind: 'oauth',
    client: 'Claude',
    tool: 'recall',
    outcome: 'NOT_FOUND',
  })
  // A call that took long is written after a later one.
  audit.record({ ...base, at: 20, caller: 'oauth:12', callerKind: 'oauth', tool: 'dream', outcome: 'confirm' })
  audit.access({ event: 'authorization_revoke', outcome: 'ok', caller: 'operator', subject: 'oauth:1' })
  await audit.close()
  const times = (filter: object, limit = 10): number[] => newestAudit(db, filter, limit).map(({ at }) => at)
  assert.deepEqual(times({}), [50, 30, 20, 10])
  assert.deepEqual(times({}, 2), [50, 30])
  assert.deepEqual(times({ since: 20 }), [50, 30, 20])
  assert.deepEqual(times({ server: 'gateway' }), [50])
  assert.deepEqual(times({ tool: 'dream' }), [20, 10])
  assert.deepEqual(times({ caller: 'oauth:1' }), [50, 30], 'what it did and what was done to it, not oauth:12')
  assert.deepEqual(times({ caller: 'oauth' }), [30, 20])
  assert.deepEqual(times({ caller: 'claude' }), [30])
  assert.deepEqual(times({ outcome: 'not_found' }), [30])
  assert.deepEqual(times({ outcome: 'failed' }), [30])
  assert.deepEqual(times({ tool: 'dream', caller: 'oauth' }), [20])
  assert.deepEqual(times({ caller: "' OR 1=1 --" }), [])
  assert.deepEqual(
    auditAfter(db, {}, 2, 10).map(({ at }) => at),
    [20, 50],
  )
  assert.equal(lastAuditId(db), 4)
})

test('newest first reads the index, not the whole trail', { timeout }, async (t) => {
  const db = await temporaryDatabase(t)
  const plan = db.sqlite.prepare('EXPLAIN QUERY PLAN SELECT * FROM audit WHERE at >= 5 ORDER BY at DESC, id DESC').all()
  assert.match(JSON.stringify(plan), /USING INDEX audit_at/)
  assert.doesNotMatch(JSON.stringify(plan), /TEMP B-TREE/)
})
