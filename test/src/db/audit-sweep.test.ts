// Old rows of the audit trail go at the start and again and again after it, and the end of a sweep is waited for.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startAuditSweep } from '../../../src/db/audit-sweep.ts'
import { DAY_MS } from '../../../src/lib/time.ts'
import type { Database } from '../../../src/db/client.ts'
import { temporaryDatabase } from './temporary.ts'

const timeout = 20_000
const quiet = { warn: () => undefined }

function addRows(db: Database, ages: readonly number[], now: number): Promise<void> {
  const insert = db.sqlite.prepare(
    "INSERT INTO audit (at, caller, server, tool, effect, outcome) VALUES (?, 'local:1', 'memory', 'dream', 'read', 'ok')",
  )
  return db.write(() => {
    for (const age of ages) insert.run(now - age * DAY_MS)
  })
}

const agesOf = (db: Database, now: number): number[] =>
  db.sqlite
    .prepare('SELECT at FROM audit ORDER BY at')
    .pluck()
    .all()
    .map((at) => (now - Number(at)) / DAY_MS)

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve))
}

test('rows older than the setting are gone after the start, younger ones stay', { timeout }, async (t) => {
  const db = await temporaryDatabase(t)
  const now = 400 * DAY_MS
  const old = Array.from({ length: 2500 }, () => 91)
  await addRows(db, [...old, 90, 89, 0], now)
  const stop = startAuditSweep(db, quiet, { clock: { now: () => now }, keepDays: 90 })
  t.after(stop)
  await until(() => agesOf(db, now).length === 3)
  assert.deepEqual(agesOf(db, now), [90, 89, 0])
})

test('a process that stays sweeps again, and not after it was told to end', { timeout }, async (t) => {
  const db = await temporaryDatabase(t)
  let now = 400 * DAY_MS
  await addRows(db, [1], now)
  const stop = startAuditSweep(db, quiet, { clock: { now: () => now }, keepDays: 2, everyMs: 5 })
  t.after(stop)
  now += 3 * DAY_MS
  await until(() => agesOf(db, now).length === 0)
  await stop()
  await addRows(db, [9], now)
  let turns = 0
  await until(() => ++turns > 200)
  assert.deepEqual(agesOf(db, now), [9])
})

test('a sweep that fails is reported, and the next one is tried all the same', { timeout }, async (t) => {
  const db = await temporaryDatabase(t)
  const warnings: string[] = []
  const log = { warn: (_detail: object, message: string) => void warnings.push(message) }
  const stop = startAuditSweep(db, log, { clock: { now: () => 0 }, keepDays: 1, everyMs: 1 })
  await db.close()
  await until(() => warnings.length >= 2)
  await stop()
  assert.match(warnings[0] ?? '', /not removed/)
})
