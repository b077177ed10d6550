// Turns what SQLite and the file system say into one clear sentence each. Errors that are a room's own business
// (a broken constraint, a wrong statement) are left as they are.
import { accessSync, constants, statSync } from 'node:fs'
import { dirname } from 'node:path'
import BetterSqlite3 from 'better-sqlite3'
import { GatewayError } from '../errors.ts'

function codeOf(error: unknown): string {
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') return error.code
  return ''
}

/** True for SQLITE_BUSY and its extended forms, and for SQLITE_LOCKED: somebody else has it now, later will do. */
export function isBusy(error: unknown): boolean {
  if (!(error instanceof BetterSqlite3.SqliteError)) return false
  return (
    error.code.startsWith('SQLITE_BUSY') || error.code.startsWith('SQLITE_LOCKED') || error.code === 'SQLITE_PROTOCOL'
  )
}

/** @returns DATABASE_BUSY, saying how long the caller has waited already */
export function busyFault(waitedMs: number, cause?: unknown): GatewayError {
  const seconds = Math.max(1, Math.round(waitedMs / 1000))
  return new GatewayError(
    'unavailable',
    'DATABASE_BUSY',
    `Another process kept the database busy for ${seconds} s, so nothing was stored; try again in a moment.`,
    { retryAfterMs: 1000, cause },
  )
}

/**
 * The sentence for a failure while the database is in use. Names no path, because callers may be remote.
 * @returns a GatewayError, or `error` itself where it says nothing about the database as a whole
 */
export function useFault(error: unknown): unknown {
  if (isBusy(error)) return busyFault(0, error)
  if (!(error instanceof BetterSqlite3.SqliteError)) return error
  const { code } = error
  const unavailable = (name: string, message: string) =>
    new GatewayError('unavailable', name, message, { cause: error })
  if (code === 'SQLITE_FULL') {
    return unavailable(
      'DATABASE_FULL',
      'The disk is full, so nothing of this was stored; free some space and try again.',
    )
  }
  if (code.startsWith('SQLITE_READONLY') || code.startsWith('SQLITE_CANTOPEN')) {
    return unavailable(
      'DATABASE_READONLY',
      'The database file was moved, removed or made read-only while in use; nothing of this was stored.',
    )
  }
  if (code.startsWith('SQLITE_IOERR')) {
    return unavailable('DATABASE_IO', 'The disk refused to read or write the database; nothing of this was stored.')
  }
  if (code.startsWith('SQLITE_CORRUPT') || code === 'SQLITE_NOTADB') {
    return unavailable(
      'DATABASE_CORRUPT',
      'The database file is damaged; nothing of this was stored. Run `crow doctor`.',
    )
  }
  return error
}

/** `/data (owner uid 0, mode 755; we run as uid 1000)`: what somebody needs to see who may write where. */
function describeFolder(folder: string): string {
  const uid = process.getuid?.()
  const us = uid === undefined ? '' : `; we run as uid ${uid}`
  for (let at = folder; ; at = dirname(at)) {
    const stat = statSync(at, { throwIfNoEntry: false })
    if (stat !== undefined) {
      const where = at === folder ? folder : `${folder} (missing, under ${at})`
      return `${where} (owner uid ${stat.uid}, mode ${(stat.mode & 0o777).toString(8)}${us})`
    }
    if (at === dirname(at)) return folder
  }
}

/** SQLite does not say why it may not write: `access` tells a read-only file system from permissions. */
function isReadOnlyMount(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK)
    return false
  } catch (error) {
    return codeOf(error) === 'EROFS'
  }
}

function openSentence(error: unknown, path: string): [code: string, message: string] | undefined {
  const folder = dirname(path)
  const code = codeOf(error)
  if (code === 'ENOTDIR' || code === 'EEXIST') {
    return [
      'DATA_FOLDER_INVALID',
      `The data folder ${folder} cannot be used because a part of that path is a file; point CROW_DATA_DIR at a folder.`,
    ]
  }
  const isRefused =
    ['EACCES', 'EPERM', 'SQLITE_CANTOPEN', 'SQLITE_PERM'].includes(code) || code.startsWith('SQLITE_READONLY')
  if (code === 'EROFS' || (isRefused && isReadOnlyMount(folder))) {
    return [
      'DATA_FOLDER_UNWRITABLE',
      `The data folder ${describeFolder(folder)} is on a read-only file system; mount it writable or point CROW_DATA_DIR elsewhere.`,
    ]
  }
  if (isRefused) {
    return [
      'DATA_FOLDER_UNWRITABLE',
      `We may not write in the data folder ${describeFolder(folder)}; give it to that user (chown) or point CROW_DATA_DIR elsewhere.`,
    ]
  }
  if (['ENOSPC', 'EDQUOT', 'SQLITE_FULL'].includes(code)) {
    return [
      'DATABASE_FULL',
      `The disk that holds the data folder ${folder} is full; free some space or point CROW_DATA_DIR elsewhere.`,
    ]
  }
  if (code.startsWith('SQLITE_CORRUPT') || code === 'SQLITE_NOTADB') {
    return [
      'DATABASE_CORRUPT',
      `The file ${path} is damaged or not a database; restore a copy of it, or move it away to start empty.`,
    ]
  }
  if (code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED')) {
    return ['DATABASE_BUSY', `Another process keeps the database ${path} locked; end it or try again in a moment.`]
  }
  if (code === 'ERR_DLOPEN_FAILED' || code === 'MODULE_NOT_FOUND') {
    return [
      'DATABASE_BINDING',
      `The SQLite module for ${process.platform}-${process.arch}, Node ${process.versions.node} is missing or broken; run \`npm ci\` with Node 22.18 or newer.`,
    ]
  }
  if (code.startsWith('SQLITE_IOERR') || code.startsWith('E')) {
    return [
      'DATABASE_IO',
      `The data folder ${describeFolder(folder)} cannot be used (${code}); point CROW_DATA_DIR at a folder on a local disk.`,
    ]
  }
  return undefined
}

/**
 * The sentence for a failure to open the database at `path`: it names the folder, its owner, our uid and the way out.
 * @returns a GatewayError; `error` itself where it already is one or nothing better can be said
 */
export function openFault(error: unknown, path: string): unknown {
  if (error instanceof GatewayError) return error
  const sentence = openSentence(error, path)
  return sentence === undefined ? error : new GatewayError('unavailable', sentence[0], sentence[1], { cause: error })
}
