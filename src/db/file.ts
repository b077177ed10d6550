// The file and its folder before SQLite opens them: who may read them, and whether the file is ours at all.
import { chmodSync, closeSync, openSync, statSync } from 'node:fs'
import type { Stats } from 'node:fs'
import { dirname } from 'node:path'
import { DomainError, GatewayError } from '../errors.ts'
import { createFolder, isExisting } from '../lib/folder.ts'
import type { Sqlite } from './client.ts'
import { appliedMigrations } from './migrations.ts'
import type { Applied, Migration } from './migrations.ts'
import { openReader } from './reader.ts'

/**
 * Creates the folder (0700) and an empty file (0600) where they are missing, and takes both from other users.
 * An existing database is never opened here: closing any descriptor of it would drop the locks that another
 * connection of this process holds (POSIX fcntl).
 */
export function prepareFile(path: string): void {
  createFolder(dirname(path))
  closeToStrangers(dirname(path))
  try {
    closeSync(openSync(path, 'wx', 0o600))
    return
  } catch (error) {
    if (!isExisting(error)) throw error
  }
  const stat = statSync(path)
  if (!stat.isFile()) {
    const message = `The database path ${path} is not a file; move it away or point CROW_DATA_DIR elsewhere.`
    throw new GatewayError('unavailable', 'DATA_FOLDER_INVALID', message)
  }
  takeFromOthers(path, stat)
}

/**
 * In a folder that everybody may write in, anybody can put a database or a key of their own in the place of ours. Folders where
 * that is meant, such as those for temporary files, have the sticky bit, with which nobody can.
 */
function closeToStrangers(folder: string): void {
  const { mode, uid } = statSync(folder)
  const isOurs = process.getuid !== undefined && uid === process.getuid()
  if (isOurs && (mode & 0o002) !== 0 && (mode & 0o1000) === 0) chmodSync(folder, mode & 0o7775)
}

/** Makes a file of ours private (0600) where other users could look into it. */
export function takeFromOthers(path: string, stat: Pick<Stats, 'uid' | 'mode'>): void {
  const isOurs = process.getuid !== undefined && stat.uid === process.getuid()
  if (isOurs && (stat.mode & 0o077) !== 0) chmodSync(path, 0o600)
}

/**
 * @param path for the sentence only
 * @throws DomainError DATABASE_NEWER where a migration was applied that this version does not know
 */
export function refuseNewer(applied: readonly Applied[], migrations: readonly Migration[], path: string): void {
  const newest = migrations.at(-1)?.when ?? 0
  if (!applied.some((row) => row.when > newest)) return
  throw new DomainError(
    'conflict',
    'DATABASE_NEWER',
    `The database ${path} has schema version ${applied.length}, written by a newer crow; this one knows version ` +
      `${migrations.length}. Update crow, or point CROW_DATA_DIR elsewhere.`,
  )
}

function refuseUnknown(sqlite: Sqlite, path: string): void {
  const table = sqlite.prepare(`SELECT name FROM sqlite_master WHERE type = 'table' LIMIT 1`).pluck().get()
  if (table === undefined) return
  const message = `The file ${path} is a database of another program; point CROW_DATA_DIR elsewhere.`
  throw new DomainError('conflict', 'DATABASE_UNKNOWN', message)
}

/**
 * Looks at an existing file through a read-only connection, so that a refusal leaves it untouched to the byte.
 * @throws DomainError DATABASE_NEWER, DATABASE_UNKNOWN
 */
export function refuseForeign(path: string, migrations: readonly Migration[]): void {
  const reader = openReader(path)
  try {
    const applied = appliedMigrations(reader)
    if (applied === undefined) refuseUnknown(reader, path)
    else refuseNewer(applied, migrations, path)
  } finally {
    reader.close()
  }
}
