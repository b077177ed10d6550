import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cpSync, existsSync, readFileSync, readdirSync } from 'node:fs'
import { join, relative } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { findMigrations } from '../../../src/db/migrations.ts'
import { lintMigration } from './migration-lint.ts'
import { temporaryFolder } from './temporary.ts'

const root = join(import.meta.dirname, '../../..')
const folder = join(root, 'migrations')
const run = promisify(execFile)

test('no migration drops, empties or locks what it should not', { timeout: 5000 }, () => {
  for (const { tag } of findMigrations(folder)) {
    assert.deepEqual(lintMigration(readFileSync(join(folder, `${tag}.sql`), 'utf8')), [], tag)
  }
})

test('the lint sees a lost table and lets a rebuild pass', { timeout: 5000 }, () => {
  const rebuild =
    'PRAGMA foreign_keys=OFF;--> statement-breakpoint\nCREATE TABLE `__new_posts` (id);--> statement-breakpoint\n' +
    'INSERT INTO `__new_posts`("id") SELECT "id" FROM `posts`;--> statement-breakpoint\nDROP TABLE `posts`;' +
    '--> statement-breakpoint\nALTER TABLE `__new_posts` RENAME TO `posts`;--> statement-breakpoint\nPRAGMA foreign_keys=ON;'
  assert.deepEqual(lintMigration(rebuild), [])
  const without = (part: string): string =>
    rebuild
      .split('--> statement-breakpoint')
      .filter((line) => !line.includes(part))
      .join('')
  const refused = [
    'DROP TABLE `posts`;',
    'drop table if exists "posts"',
    without('INSERT INTO'),
    without('RENAME TO'),
    'DELETE FROM posts;',
    'BEGIN IMMEDIATE; COMMIT;',
    'COMMIT;',
    'VACUUM;',
    'PRAGMA journal_mode = DELETE;',
    'CREATE VIRTUAL TABLE f USING fts5 (a);',
    'CREATE TRIGGER t AFTER INSERT ON posts BEGIN SELECT 1; END;',
  ]
  for (const sql of refused) assert.notDeepEqual(lintMigration(sql), [], sql)
})

test('every migration in the journal has its file, its snapshot and rows to be tried on', { timeout: 5000 }, () => {
  const migrations = findMigrations(folder)
  assert.deepEqual(
    readdirSync(folder)
      .filter((name) => name.endsWith('.sql'))
      .toSorted(),
    migrations.map(({ tag }) => `${tag}.sql`),
  )
  assert.deepEqual(
    migrations.map(({ when }) => when),
    migrations.map(({ when }) => when).toSorted((a, b) => a - b),
  )
  for (const { tag } of migrations) {
    assert.ok(existsSync(join(folder, 'meta', `${tag.slice(0, 4)}_snapshot.json`)), tag)
    assert.ok(existsSync(join(import.meta.dirname, 'fixtures', `${tag}.sql`)), `fixtures/${tag}.sql`)
  }
})

test('the migrations say what the schema says', { timeout: 60_000 }, async (t) => {
  const copy = join(temporaryFolder(t), 'migrations')
  cpSync(folder, copy, { recursive: true })
  const kit = join(root, 'node_modules', 'drizzle-kit', 'bin.cjs')
  const args = [
    kit,
    'generate',
    '--dialect',
    'sqlite',
    '--schema',
    './src/db/schema/*.ts',
    '--out',
    relative(root, copy),
  ]
  const { stdout } = await run(process.execPath, args, { cwd: root })
  assert.match(stdout, /No schema changes/)
  assert.deepEqual(readdirSync(copy), readdirSync(folder))
})
