import assert from 'node:assert/strict'
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { TestContext } from 'node:test'
import BetterSqlite3 from 'better-sqlite3'
import { openDatabase } from '../../../src/db/client.ts'
import type { Sqlite } from '../../../src/db/client.ts'
import { findMigrations } from '../../../src/db/migrations.ts'
import type { Migration } from '../../../src/db/migrations.ts'
import { temporaryDatabase, temporaryFolder } from './temporary.ts'

const options = { timeout: 20_000 }
const source = join(import.meta.dirname, '../../../migrations')

/** A migrations folder with the given migrations, in drizzle-kit's layout. */
function writeMigrations(
  t: TestContext,
  migrations: readonly Pick<Migration, 'tag' | 'when' | 'statements'>[],
): string {
  const folder = join(temporaryFolder(t), 'migrations')
  mkdirSync(join(folder, 'meta'), { recursive: true })
  const entries = migrations.map(({ tag, when }, idx) => ({ idx, version: '6', when, tag, breakpoints: true }))
  writeFileSync(join(folder, 'meta', '_journal.json'), JSON.stringify({ version: '7', dialect: 'sqlite', entries }))
  for (const { tag, statements } of migrations) {
    writeFileSync(join(folder, `${tag}.sql`), statements.join('--> statement-breakpoint\n'))
  }
  return folder
}

function fixture(tag: string): string {
  return readFileSync(join(import.meta.dirname, 'fixtures', `${tag}.sql`), 'utf8')
}

function counts(sqlite: Sqlite): Record<string, unknown> {
  const tables = sqlite
    .prepare<[], { name: string }>(`SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name`)
    .all()
  const count = (name: string): unknown => sqlite.prepare(`SELECT count(*) FROM "${name}"`).pluck().get()
  return Object.fromEntries(
    tables.filter(({ name }) => !/^sqlite_|^__/.test(name)).map(({ name }) => [name, count(name)]),
  )
}

function shape(sqlite: Sqlite): unknown[] {
  return sqlite
    .prepare(`SELECT type, name, tbl_name FROM sqlite_master WHERE name NOT LIKE 'sqlite_%' ORDER BY type, name`)
    .all()
}

/** A database of version `version` with rows in every table, each from the fixture of the migration that brought it, closed. */
async function oldDatabase(
  t: TestContext,
  version: number,
): Promise<{ dataDir: string; before: Record<string, unknown> }> {
  const dataDir = temporaryFolder(t)
  const known = findMigrations(source).slice(0, version)
  const db = await openDatabase({ dataDir, migrationsFolder: writeMigrations(t, known) })
  for (const { tag } of known) db.sqlite.exec(fixture(tag))
  const before = counts(db.sqlite)
  await db.close()
  return { dataDir, before }
}

const current = findMigrations(source)
const next = { tag: '9999_next', when: Date.UTC(2999, 0, 1) }

/** What drizzle-kit writes for a changed default: two parents are copied, dropped and renamed. */
const rebuild = ['memories', 'schedules'].flatMap((table) => {
  const create = current
    .flatMap((migration) => migration.statements)
    .find((statement) => statement.includes(`CREATE TABLE \`${table}\``))
  assert.ok(create !== undefined)
  return [
    'PRAGMA foreign_keys=OFF;',
    create.replaceAll(`\`${table}\``, `\`__new_${table}\``).replaceAll(`"${table}".`, ''),
    `INSERT INTO \`__new_${table}\` SELECT * FROM \`${table}\`;`,
    `DROP TABLE \`${table}\`;`,
    `ALTER TABLE \`__new_${table}\` RENAME TO \`${table}\`;`,
    'PRAGMA foreign_keys=ON;',
  ]
})

test('rebuilding a parent table keeps every row of its children', options, async (t) => {
  const { dataDir, before } = await oldDatabase(t, current.length)
  const migrationsFolder = writeMigrations(t, [...current, { ...next, statements: rebuild }])
  const db = await temporaryDatabase(t, { dataDir, migrationsFolder })
  assert.deepEqual(counts(db.sqlite), before)
  assert.equal(before['memory_tags'], 1000)
  assert.deepEqual(db.sqlite.pragma('foreign_key_check'), [])
  assert.equal(db.sqlite.pragma('foreign_keys', { simple: true }), 1)
  await db.write((tx) => tx.sqlite.exec('DELETE FROM memories WHERE id = 1'))
  assert.equal(db.sqlite.prepare('SELECT count(*) FROM memory_tags').pluck().get(), 990)
})

test('every released schema version migrates to this one without losing a row', options, async (t) => {
  const fresh = await temporaryDatabase(t)
  for (let version = 1; version <= current.length; version++) {
    const { dataDir, before } = await oldDatabase(t, version)
    const db = await openDatabase({ dataDir })
    const after = counts(db.sqlite)
    for (const [table, count] of Object.entries(before)) assert.equal(after[table], count, `${table} from ${version}`)
    assert.deepEqual(shape(db.sqlite), shape(fresh.sqlite))
    assert.deepEqual(db.sqlite.pragma('foreign_key_check'), [])
    await db.close()
  }
})

test('a sound copy of the old state is made before a migration, and only then', options, async (t) => {
  const { dataDir, before } = await oldDatabase(t, current.length)
  await (await openDatabase({ dataDir })).close()
  assert.deepEqual(readdirSync(dataDir), ['crow.db'])
  const statements = [`DELETE FROM notifications; ALTER TABLE schedules ADD COLUMN colour text`]
  const db = await temporaryDatabase(t, {
    dataDir,
    migrationsFolder: writeMigrations(t, [...current, { ...next, statements }]),
  })
  assert.equal(counts(db.sqlite)['notifications'], 0)
  const copy = new BetterSqlite3(join(dataDir, 'crow.db.before-9999_next'), { readonly: true })
  t.after(() => copy.close())
  assert.deepEqual(counts(copy), before)
  assert.equal(copy.pragma('integrity_check', { simple: true }), 'ok')
})

test('a migration that fails leaves the database as it was, and says so', options, async (t) => {
  const { dataDir, before } = await oldDatabase(t, current.length)
  const statements = ['DELETE FROM memory_tags;', 'CREATE TABLE memories (again);']
  const broken = writeMigrations(t, [...current, { ...next, statements }])
  await assert.rejects(openDatabase({ dataDir, migrationsFolder: broken }), {
    code: 'DATABASE_MIGRATION',
    message: /9999_next failed; the database is as it was before/,
  })
  const db = await temporaryDatabase(t, { dataDir })
  assert.deepEqual(counts(db.sqlite), before)
})

test('a migration that would leave rows without their parent is refused', options, async (t) => {
  const { dataDir, before } = await oldDatabase(t, current.length)
  const migrationsFolder = writeMigrations(t, [...current, { ...next, statements: ['DELETE FROM memories'] }])
  await assert.rejects(openDatabase({ dataDir, migrationsFolder }), {
    code: 'DATABASE_MIGRATION',
    message: /without their memories/,
  })
  const db = await temporaryDatabase(t, { dataDir })
  assert.deepEqual(counts(db.sqlite), before)
})

test('triggers that a rebuild drops are back after the start, because they are repeatable', options, async (t) => {
  const { dataDir } = await oldDatabase(t, current.length)
  const repeatable = [
    `CREATE TRIGGER IF NOT EXISTS memories_seen AFTER DELETE ON memories BEGIN DELETE FROM settings; END`,
  ]
  await (await openDatabase({ dataDir, repeatable })).close()
  const migrationsFolder = writeMigrations(t, [...current, { ...next, statements: rebuild }])
  const db = await temporaryDatabase(t, { dataDir, migrationsFolder, repeatable })
  const triggers = db.sqlite.prepare(`SELECT name FROM sqlite_master WHERE type = 'trigger'`).pluck().all()
  assert.deepEqual(triggers, ['memories_seen'])
})

test('a database of a newer version is refused by both version numbers and not touched', options, async (t) => {
  const dataDir = temporaryFolder(t)
  const migrationsFolder = writeMigrations(t, [...current, { ...next, statements: ['CREATE TABLE future (a);'] }])
  await (await openDatabase({ dataDir, migrationsFolder })).close()
  const path = join(dataDir, 'crow.db')
  const writer = new BetterSqlite3(path)
  writer.exec('INSERT INTO future VALUES (1)')
  const files = [path, `${path}-wal`]
  const bytes = (): Buffer[] => files.map((file) => readFileSync(file))
  const before = bytes()
  await assert.rejects(openDatabase({ dataDir }), {
    name: 'DomainError',
    code: 'DATABASE_NEWER',
    message: new RegExp(`schema version ${current.length + 1}.*knows version ${current.length}`),
  })
  assert.deepEqual(bytes(), before)
  writer.close()
})

test('a newer database left behind by a killed process is not touched either', options, async (t) => {
  const dataDir = temporaryFolder(t)
  const migrationsFolder = writeMigrations(t, [...current, { ...next, statements: ['CREATE TABLE future (a);'] }])
  await (await openDatabase({ dataDir, migrationsFolder })).close()
  const path = join(dataDir, 'crow.db')
  const writer = new BetterSqlite3(path)
  writer.exec('INSERT INTO future VALUES (1)')
  const orphan = temporaryFolder(t)
  for (const suffix of ['', '-wal']) cpSync(path + suffix, join(orphan, `crow.db${suffix}`))
  writer.close()
  const bytes = (): Buffer[] => ['crow.db', 'crow.db-wal'].map((name) => readFileSync(join(orphan, name)))
  const before = bytes()
  await assert.rejects(openDatabase({ dataDir: orphan }), { code: 'DATABASE_NEWER' })
  assert.deepEqual(bytes(), before)
})

test('migrations are found whatever the working directory', options, (t) => {
  const before = process.cwd()
  t.after(() => process.chdir(before))
  process.chdir(temporaryFolder(t))
  assert.equal(findMigrations()[0]?.tag, '0000_init')
})

test('only three copies are kept', options, async (t) => {
  const { dataDir } = await oldDatabase(t, current.length)
  const later = Array.from({ length: 5 }, (_, index) => ({
    tag: `999${index}_step`,
    when: next.when + index,
    statements: [`CREATE TABLE step_${index} (a);`],
  }))
  for (let known = 1; known <= later.length; known++) {
    const migrationsFolder = writeMigrations(t, [...current, ...later.slice(0, known)])
    await (await openDatabase({ dataDir, migrationsFolder })).close()
  }
  const copies = readdirSync(dataDir).filter((name) => name.includes('before-'))
  assert.deepEqual(copies.toSorted(), [
    'crow.db.before-9992_step',
    'crow.db.before-9993_step',
    'crow.db.before-9994_step',
  ])
  assert.equal(existsSync(join(dataDir, 'crow.db.before-9990_step')), false)
})
