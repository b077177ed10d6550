// A secret key in a file beside the database: made once per data folder, the same for every process on it, for this user only.
// The name of the file says what it protects: `state.key` seals confirmations and open questions.
import { randomBytes } from 'node:crypto'
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { GatewayError } from '../errors.ts'
import { syncFolder } from '../lib/folder.ts'
import type { Database } from './client.ts'
import { openFault } from './faults.ts'
import { takeFromOthers } from './file.ts'

const KEY_BYTES = 32
/** 32 bytes in base64url and a line end; some room for an editor that added one. */
const FILE_BYTES_MAX = 64
const KEY_TEXT = /^[A-Za-z0-9_-]{43}$/

/**
 * Reads a key, or makes it where it is missing. Several processes may do so at once: the write lock decides who makes it.
 * @param name file name in the folder of the database, such as `state.key`
 * @returns 32 random bytes
 * @throws GatewayError KEY_FILE_INVALID where the file holds something else, which is never overwritten; DATA_FOLDER_UNWRITABLE,
 *   DATABASE_FULL, DATABASE_IO, DATABASE_BUSY
 */
export async function keyBeside(db: Database, name: string): Promise<Uint8Array> {
  const path = join(dirname(db.path), name)
  try {
    return readKey(path) ?? (await db.write(() => readKey(path) ?? makeKey(path)))
  } catch (error) {
    throw openFault(error, db.path)
  }
}

function readKey(path: string): Uint8Array | undefined {
  const stat = statSync(path, { throwIfNoEntry: false })
  if (stat === undefined) return undefined
  const text = stat.isFile() && stat.size <= FILE_BYTES_MAX ? readFileSync(path, 'utf8').trim() : ''
  const key = Buffer.from(KEY_TEXT.test(text) ? text : '', 'base64url')
  if (key.length !== KEY_BYTES) {
    const message = `The key file ${path} does not hold a key; put its copy back, or move it away and a new one is made.`
    throw new GatewayError('unavailable', 'KEY_FILE_INVALID', message)
  }
  takeFromOthers(path, stat)
  return key
}

/** The file appears whole or not at all, and is on disk before anything is sealed with it. */
function makeKey(path: string): Uint8Array {
  const key = randomBytes(KEY_BYTES)
  const partial = `${path}.partial`
  rmSync(partial, { force: true })
  const file = openSync(partial, 'wx', 0o600)
  try {
    writeFileSync(file, `${key.toString('base64url')}\n`)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  renameSync(partial, path)
  syncFolder(dirname(path))
  return key
}
