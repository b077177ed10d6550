// The copy that is made of a database before a migration changes it, and how long such copies are kept.
import { chmodSync, closeSync, fsyncSync, openSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import BetterSqlite3 from 'better-sqlite3'
import { GatewayError } from '../errors.ts'
import { syncFolder } from '../lib/folder.ts'
import { openReader } from './reader.ts'

/** Copies kept per database; the oldest go first. */
const copiesMax = 3

function verify(path: string): void {
  const copy = new BetterSqlite3(path, { fileMustExist: true })
  try {
    copy.pragma('journal_mode = DELETE')
    const verdict = copy.pragma('integrity_check(1)', { simple: true })
    if (verdict !== 'ok') {
      const message = `The database is damaged (${String(verdict)}), so it was not migrated; restore a copy of it first.`
      throw new GatewayError('unavailable', 'DATABASE_CORRUPT', message)
    }
  } finally {
    copy.close()
  }
}

/** Opened for writing, because Windows flushes nothing else. */
function flush(path: string): void {
  const descriptor = openSync(path, 'r+')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/**
 * Writes a consistent copy of the database at `path` to `destination` (0600) and proves it readable and sound before it
 * gets that name. Other connections may go on reading; whoever must not see writes in between holds the write lock.
 * @throws GatewayError DATABASE_CORRUPT; SqliteError, for example SQLITE_FULL
 */
export async function copyDatabase(path: string, destination: string): Promise<void> {
  const partial = `${destination}.partial`
  rmSync(partial, { force: true })
  const reader = openReader(path)
  try {
    closeSync(openSync(partial, 'wx', 0o600))
    await reader.backup(partial)
    verify(partial)
    chmodSync(partial, 0o600)
    flush(partial)
    renameSync(partial, destination)
    syncFolder(dirname(destination))
  } catch (error) {
    rmSync(partial, { force: true })
    throw error
  } finally {
    reader.close()
  }
}

function dropOldCopies(path: string): void {
  const prefix = `${basename(path)}.before-`
  const folder = dirname(path)
  const copies = readdirSync(folder)
    .filter((name) => name.startsWith(prefix) && !name.endsWith('.partial'))
    .map((name) => ({ name, at: statSync(join(folder, name)).mtimeMs }))
    .toSorted((a, b) => b.at - a.at)
  for (const { name } of copies.slice(copiesMax)) rmSync(join(folder, name))
}

/** Copies to `crow.db.before-<tag>` beside the database. @returns the path of the copy */
export async function copyBeforeMigration(path: string, tag: string): Promise<string> {
  const destination = `${path}.before-${tag}`
  await copyDatabase(path, destination)
  dropOldCopies(path)
  return destination
}
