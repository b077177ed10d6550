// The migrations this version brings, and those a database has had. The folder and its bookkeeping table are drizzle-kit's.
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { readMigrationFiles } from 'drizzle-orm/migrator'
import { GatewayError } from '../errors.ts'
import type { Sqlite } from './client.ts'

export interface Migration {
  /** `0000_init` */
  readonly tag: string
  /** When it was generated, epoch milliseconds: the order of migrations. */
  readonly when: number
  readonly hash: string
  readonly statements: readonly string[]
}

export interface Applied {
  readonly when: number
  readonly hash: string
}

const journalPath = join('migrations', 'meta', '_journal.json')

/** The nearest `migrations` folder above `from`: the same for sources, a bundle, and any working directory. */
function locateFolder(from: string): string {
  for (let at = from; ; at = dirname(at)) {
    if (existsSync(join(at, journalPath))) return join(at, 'migrations')
    if (at === dirname(at)) break
  }
  const message = `The folder \`migrations\` is missing above ${from}; install crow again.`
  throw new GatewayError('unavailable', 'DATABASE_MIGRATION', message)
}

/** Reads every migration in order. @param folder the folder that holds `meta/_journal.json`; looked for unless given */
export function findMigrations(folder: string = locateFolder(import.meta.dirname)): readonly Migration[] {
  const journal: { readonly entries: readonly { readonly tag: string }[] } = JSON.parse(
    readFileSync(join(folder, 'meta', '_journal.json'), 'utf8'),
  )
  const files = readMigrationFiles({ migrationsFolder: folder })
  return files.map((file, index) => ({
    tag: journal.entries[index]?.tag ?? String(index),
    when: file.folderMillis,
    hash: file.hash,
    statements: file.sql,
  }))
}

/** What a database has had, oldest first; undefined where it has no bookkeeping table. */
export function appliedMigrations(sqlite: Sqlite): readonly Applied[] | undefined {
  const exists = sqlite
    .prepare(`SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = '__drizzle_migrations'`)
    .get()
  if (exists === undefined) return undefined
  return sqlite
    .prepare<[], Applied>(
      'SELECT CAST(created_at AS INTEGER) AS "when", hash FROM __drizzle_migrations ORDER BY created_at',
    )
    .all()
}

/** Makes the bookkeeping table that drizzle's own tools read. */
export function createBookkeeping(sqlite: Sqlite): void {
  sqlite.exec(
    'CREATE TABLE IF NOT EXISTS __drizzle_migrations (id SERIAL PRIMARY KEY, hash text NOT NULL, created_at numeric)',
  )
}

export function recordMigration(sqlite: Sqlite, migration: Migration): void {
  sqlite
    .prepare('INSERT INTO __drizzle_migrations (hash, created_at) VALUES (?, ?)')
    .run(migration.hash, migration.when)
}
