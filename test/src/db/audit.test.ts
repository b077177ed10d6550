// The audit trail: written in groups, kept while it cannot be written, forgotten after ninety days.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createAuditLog } from '../../../src/db/audit.ts'
import { DAY_MS } from '../../../src/lib/time.ts'
import { temporaryDatabase } from './temporary.ts'

const timeout = 20_000
const quiet = { warn: () => undefined }

const row = (at: number) => ({
  at,
  caller: 'local:1',
  server: 'memory',
  tool: 'search_memories',
  effect: 'read',
  outcome: 'ok',
  bytes: at,
  durationMs: 1.6,
})

test('every recorded row is written once, in order, whatever their number', { timeout }, async (t) => {
  const db = await temporaryDatabase(t)
  const audit = createAuditLog(db, quiet, 0)
  for (const size of [1, 31, 32, 33, 100]) {
    for (let index = 0; index < size; index++) audit.record(row(index))
    await Promise.all([audit.flush(), audit.flush()])
    const written = db.sqlite
      .prepare(
        'SELECT at, caller, server, tool, effect, outcome, bytes, duration_ms AS durationMs FROM audit ORDER BY id',
      )
      .all()
    assert.deepEqual(
      written,
      Array.from({ length: size }, (_, index) => ({ ...row(index), durationMs: 2 })),
    )
    db.sqlite.exec('DELETE FROM audit')
  }
})

test('whoever flushes or closes while others flush waits for every row recorded before', { timeout }, async (t) => {
  const db = await temporaryDatabase(t)
  const audit = createAuditLog(db, quiet, 0)
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
  const audit = createAuditLog(db, quiet, 0)
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
  const audit = createAuditLog(db, { warn: (_detail, message) => void warnings.push(message) }, 0)
  await audit.flush()
  await db.close()
  audit.record(row(1))
  await audit.flush()
  assert.equal(warnings.length, 1)
  await audit.close()
  assert.equal(warnings.length, 2)
})

test('rows older than ninety days are gone at the next start, younger ones stay', { timeout }, async (t) => {
  const db = await temporaryDatabase(t)
  const now = 200 * DAY_MS
  const first = createAuditLog(db, quiet, now)
  for (const age of [91, 90, 89, 0]) first.record(row(now - age * DAY_MS))
  await first.close()
  const second = createAuditLog(db, quiet, now)
  second.record(row(now))
  await second.close()
  const ages = db.sqlite.prepare('SELECT at FROM audit ORDER BY at').pluck().all()
  assert.deepEqual(
    ages.map((at) => (now - Number(at)) / DAY_MS),
    [90, 89, 0, 0],
  )
})
