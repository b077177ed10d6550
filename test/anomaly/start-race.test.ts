import assert from 'node:assert/strict'
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Sqlite } from '../../src/db/client.ts'
import { openDatabase } from '../../src/db/client.ts'
import { openReader } from '../../src/db/reader.ts'
import { temporaryFolder } from '../src/db/temporary.ts'
import { startChild } from './children.ts'
import type { Child } from './children.ts'

const script = join(import.meta.dirname, 'database-child.ts')
const rounds = Number(process.env['CROW_TEST_RACES'] ?? 6)
const repeatable = ['CREATE VIRTUAL TABLE IF NOT EXISTS found USING fts5 (text)']

function schema(sqlite: Sqlite): unknown[] {
  return sqlite.prepare('SELECT type, name, sql FROM sqlite_master ORDER BY type, name').all()
}

/** The real migrations and one more that rebuilds nothing but changes something. */
function extendedMigrations(folder: string): string {
  const migrations = join(folder, 'migrations')
  cpSync(join(import.meta.dirname, '../../migrations'), migrations, { recursive: true })
  const journalPath = join(migrations, 'meta', '_journal.json')
  const journal: { entries: object[] } = JSON.parse(readFileSync(journalPath, 'utf8'))
  journal.entries.push({ idx: 999, version: '6', when: Date.UTC(2999, 0, 1), tag: '9999_more', breakpoints: true })
  writeFileSync(journalPath, JSON.stringify(journal))
  writeFileSync(join(migrations, '9999_more.sql'), 'ALTER TABLE settings ADD COLUMN more text;')
  return migrations
}

/** All three open the same folder within 50 ms, then close it. */
async function race(processes: readonly Child[], request: object): Promise<unknown[]> {
  const answers = await Promise.all(
    processes.map(async (process, index) => {
      await sleep(index * Math.random() * 25)
      return process.ask({ do: 'open', repeatable, ...request })
    }),
  )
  await Promise.all(processes.map((process) => process.ask({ do: 'close' })))
  return answers.map((answer) => answer['opened'] ?? answer)
}

test(
  'three processes that start within 50 ms on an empty or an old folder all start, and migrate once',
  { timeout: 60_000 },
  async (t) => {
    const migrationsFolder = extendedMigrations(temporaryFolder(t))
    const clean = await openDatabase({ dataDir: temporaryFolder(t), migrationsFolder, repeatable })
    t.after(() => clean.close())
    const recorded = clean.sqlite.prepare('SELECT count(*) FROM __drizzle_migrations').pluck().get()
    const processes = [1, 2, 3].map(() => startChild(script))
    t.after(() => Promise.all(processes.map((process) => process.end())))
    for (let round = 0; round < rounds; round++) {
      const dataDir = join(temporaryFolder(t), 'new')
      const path = join(dataDir, 'crow.db')
      if (round % 2 === 1) await (await openDatabase({ dataDir })).close()
      assert.deepEqual(await race(processes, { dataDir, migrationsFolder }), [path, path, path])
      const reader = openReader(path)
      t.after(() => reader.close())
      assert.equal(reader.prepare('SELECT count(*) FROM __drizzle_migrations').pluck().get(), recorded)
      assert.deepEqual(schema(reader), schema(clean.sqlite))
    }
  },
)
