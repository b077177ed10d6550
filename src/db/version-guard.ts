// Notices that another process has brought the database to a version that this one does not know, while it was open here.
import { DomainError } from '../errors.ts'
import type { Sqlite } from './client.ts'
import { appliedMigrations } from './migrations.ts'
import type { Migration } from './migrations.ts'

/**
 * Makes the look at the version of an open database. It costs a microsecond, and some tens of them after a commit of another
 * connection. Inside a transaction it speaks for all of it. What was newer is looked at again, as it may be restored.
 * @returns throws DomainError DATABASE_NEWER, whose sentence names no path, because callers may be remote
 */
export function guardVersion(sqlite: Sqlite, migrations: readonly Migration[]): () => void {
  const newest = migrations.at(-1)?.when ?? 0
  const dataVersion = sqlite.prepare('PRAGMA data_version').pluck()
  // What was committed between our migration and now counts as not looked at.
  let known: unknown
  return () => {
    const now = dataVersion.get()
    if (now === known) return
    if (appliedMigrations(sqlite)?.some(({ when }) => when > newest)) throw newerFault()
    known = now
  }
}

const newerFault = (): DomainError =>
  new DomainError(
    'conflict',
    'DATABASE_NEWER',
    'A newer crow has changed the database meanwhile, so this one leaves it alone: nothing was stored. Start it again, updated.',
  )
