// An older process that is still open when a newer one migrates the file.
import assert from 'node:assert/strict'
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import type { Database } from '../../../src/db/client.ts'
import { temporaryDatabase, temporaryFolder } from './temporary.ts'

const options = { timeout: 20_000 }
const SOURCE = join(import.meta.dirname, '../../../migrations')

/** This version's migrations and one more. */
function newerMigrations(t: TestContext): string {
  const folder = join(temporaryFolder(t), 'migrations')
  cpSync(SOURCE, folder, { recursive: true })
  const path = join(folder, 'meta', '_journal.json')
  const journal = JSON.parse(readFileSync(path, 'utf8'))
  const tag = '9999_next'
  journal.entries.push({
    idx: journal.entries.length,
    version: '6',
    when: Date.UTC(2999, 0, 1),
    tag,
    breakpoints: true,
  })
  writeFileSync(path, JSON.stringify(journal))
  writeFileSync(join(folder, `${tag}.sql`), 'CREATE TABLE future (a);')
  return folder
}

const put = (db: Database, key: string): Promise<number> =>
  db.write(({ sqlite }) => sqlite.prepare(`INSERT INTO settings VALUES (?, '1', 1)`).run(key).changes)

const keys = (db: Database): unknown[] => db.sqlite.prepare('SELECT key FROM settings ORDER BY key').pluck().all()

const NEWER = { name: 'DomainError', code: 'DATABASE_NEWER', message: /^[^/]*$/ }

test('once a newer version has migrated the file, nothing more is written or read for a caller', options, async (t) => {
  const old = await temporaryDatabase(t)
  await put(old, 'before')
  const newer = await temporaryDatabase(t, { path: old.path, migrationsFolder: newerMigrations(t) })
  const refused = await Promise.allSettled([put(old, 'one'), put(old, 'two')])
  assert.deepEqual(
    refused.map(({ status }) => status),
    ['rejected', 'rejected'],
  )
  await assert.rejects(put(old, 'three'), NEWER)
  await assert.rejects(
    old.read(() => 1),
    NEWER,
  )
  await put(newer, 'newer')
  assert.deepEqual(keys(newer), ['before', 'newer'])
})

test('a newer file that was already there at the first write is noticed too', options, async (t) => {
  const old = await temporaryDatabase(t)
  await temporaryDatabase(t, { path: old.path, migrationsFolder: newerMigrations(t) })
  await assert.rejects(put(old, 'first'), NEWER)
})

test(
  'commits of another process of this version are none of that, and a restored file is written again',
  options,
  async (t) => {
    const one = await temporaryDatabase(t)
    const other = await temporaryDatabase(t, { path: one.path })
    for (let round = 0; round < 3; round++) {
      await put(one, `one-${round}`)
      await put(other, `other-${round}`)
    }
    const newer = await temporaryDatabase(t, { path: one.path, migrationsFolder: newerMigrations(t) })
    await assert.rejects(put(one, 'refused'), NEWER)
    await newer.write(({ sqlite }) =>
      sqlite.exec('DROP TABLE future; DELETE FROM __drizzle_migrations WHERE created_at > 30000000000000'),
    )
    await put(one, 'restored')
    assert.equal(keys(one).length, 7)
  },
)
