// Brings a database to this version, once, whichever of several processes comes first. The whole of it is one transaction
// that holds the write lock, so the others wait and then find nothing to do. Foreign keys are off meanwhile (the connection
// was opened so; the pragma does nothing inside a transaction): a table rebuild must not cascade into its children.
import { DomainError, GatewayError } from '../errors.ts'
import type { DatabaseLog, Sqlite } from './client.ts'
import { copyBeforeMigration } from './copy.ts'
import { refuseNewer } from './file.ts'
import { appliedMigrations, createBookkeeping, recordMigration } from './migrations.ts'
import type { Applied, Migration } from './migrations.ts'
import { runRepeatable } from './repeatable.ts'
import { whenFree } from './retry.ts'

export interface MigrateOptions {
  /** A connection with foreign keys off. */
  readonly sqlite: Sqlite
  readonly path: string
  readonly migrations: readonly Migration[]
  readonly repeatable: readonly string[]
  /** How long to wait for another process. */
  readonly waitMs: number
  readonly log?: DatabaseLog | undefined
}

function pendingMigrations(migrations: readonly Migration[], applied: readonly Applied[]): readonly Migration[] {
  const newest = applied.at(-1)?.when ?? -1
  return migrations.filter((migration) => migration.when > newest)
}

function apply(sqlite: Sqlite, migration: Migration): void {
  try {
    for (const statement of migration.statements) sqlite.exec(statement)
    recordMigration(sqlite, migration)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'SQLITE_FULL') throw error
    const message = `Migration ${migration.tag} failed; the database is as it was before. Report this, and use the older crow meanwhile.`
    throw new GatewayError('internal', 'DATABASE_MIGRATION', message, { cause: error })
  }
}

function refuseOrphans(sqlite: Sqlite): void {
  const orphan = sqlite
    .prepare<[], { table: string; parent: string }>('SELECT "table", parent FROM pragma_foreign_key_check LIMIT 1')
    .get()
  if (orphan === undefined) return
  const message = `A migration would leave rows of ${orphan.table} without their ${orphan.parent}; the database is as it was before.`
  throw new DomainError('internal', 'DATABASE_MIGRATION', message)
}

async function migrateLocked(options: MigrateOptions): Promise<void> {
  const { sqlite, path, migrations, repeatable, log } = options
  const applied = appliedMigrations(sqlite) ?? []
  refuseNewer(applied, migrations, path)
  const pending = pendingMigrations(migrations, applied)
  const [first] = pending
  if (first !== undefined) {
    if (applied.length > 0) {
      const copy = await copyBeforeMigration(path, first.tag)
      log?.info({ copy, from: applied.length, to: migrations.length }, 'database copied before its migration')
    }
    createBookkeeping(sqlite)
    for (const migration of pending) apply(sqlite, migration)
    refuseOrphans(sqlite)
  }
  runRepeatable(sqlite, repeatable)
}

/**
 * Applies what is pending and repeats what is repeatable, all or nothing.
 * @throws DomainError DATABASE_NEWER; GatewayError DATABASE_MIGRATION; SqliteError from a copy or a script
 */
export async function migrate(options: MigrateOptions): Promise<void> {
  const { sqlite, waitMs } = options
  await whenFree(() => sqlite.exec('BEGIN IMMEDIATE'), waitMs)
  try {
    await migrateLocked(options)
    sqlite.exec('COMMIT')
  } catch (error) {
    if (sqlite.inTransaction) sqlite.exec('ROLLBACK')
    throw error
  }
}
