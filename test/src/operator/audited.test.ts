// What the audit trail keeps of the owner's doings: who, from where and how it ended, and nothing that was typed.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createAuditLog } from '../../../src/db/audit.ts'
import { newestAudit } from '../../../src/db/audit-reader.ts'
import { createLog } from '../../../src/lib/log.ts'
import { systemClock } from '../../../src/lib/time.ts'
import { auditedOperators } from '../../../src/operator/audited.ts'
import { createOperators } from '../../../src/operator/operators.ts'
import { openVault } from '../../../src/secrets/vault.ts'
import { temporaryDatabase, temporaryFolder } from '../db/temporary.ts'

const timeout = 60_000
const visitor = { address: '203.0.113.9', userAgent: 'sentinel-browser' }
const password = 'quietly seventeen herons file taxes'
const next = 'loudly eighteen egrets evade levies'

test('each thing the owner does is one row, and so is each attempt that failed', { timeout }, async (t) => {
  const db = await temporaryDatabase(t)
  const audit = createAuditLog(db, { warn: () => undefined }, systemClock)
  const log = createLog({ level: 'silent', write: () => undefined })
  const vault = openVault({ dataDir: temporaryFolder(t) })
  const operators = auditedOperators(
    createOperators(db, vault, systemClock, log, { pause: async () => undefined }),
    audit,
    () => 'operator',
  )
  const code = await operators.makeSetupCode()
  await assert.rejects(operators.setUp({ ...visitor, password, code: 'sentinel-code' }))
  await operators.setUp({ ...visitor, password, code })
  await assert.rejects(operators.login({ ...visitor, password: 'sentinel-guess' }))
  const { session } = await operators.login({ ...visitor, password })
  await operators.changePassword({ ...visitor, current: password, next })
  await operators.revoke(session.id)
  await operators.setPassword(password)
  for (let attempt = 0; attempt < 6; attempt++)
    await assert.rejects(operators.login({ ...visitor, password: 'sentinel-guess' }))
  await audit.close()
  const rows = newestAudit(db, { server: 'gateway' }, 100).toReversed()
  assert.deepEqual(
    rows
      .slice(0, 8)
      .map(({ tool, outcome, callerKind, address, subject }) => [tool, outcome, callerKind, address, subject]),
    [
      ['setup_code', 'ok', 'cli', null, null],
      ['setup', 'SETUP_CODE_WRONG', 'stranger', visitor.address, null],
      ['setup', 'ok', 'operator', visitor.address, null],
      ['login', 'LOGIN_FAILED', 'stranger', visitor.address, null],
      ['login', 'ok', 'operator', visitor.address, null],
      ['password_change', 'ok', 'operator', visitor.address, null],
      ['session_revoke', 'ok', 'operator', null, `session:${session.id}`],
      ['password_change', 'ok', 'cli', null, null],
    ],
  )
  assert.equal(rows[4]?.session, String(session.id))
  assert.ok(rows.some(({ tool, outcome }) => tool === 'lockout' && outcome === 'LOGIN_LOCKED'))
  const kept = JSON.stringify(rows)
  for (const secret of ['sentinel', password, next, code]) assert.ok(!kept.includes(secret), secret)
})
