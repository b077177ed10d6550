// Reads and replaces a client's configuration file: never half-written, symbolic links followed. Permissions are kept, but a
// file that holds a token is for its owner only.
import { randomUUID } from 'node:crypto'
import { chmod, readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { createFolder } from '../lib/folder.ts'

/** A new file may hold a token, so nobody else reads it. */
const NEW_FILE_MODE = 0o600
const OTHERS = 0o077

/** Text of the file, or undefined when there is none. */
export async function readClientFile(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}

/**
 * Writes the whole text beside the file and renames it into place; makes missing folders.
 * @param holdsToken takes the file from everybody but its owner
 */
export async function writeClientFile(path: string, text: string, holdsToken: boolean): Promise<void> {
  await writeBeside(path, text, rename, holdsToken ? OTHERS : 0)
}

/** Whether others than its owner may do anything with the file. Windows has no such permissions. */
export async function isOpenToOthers(path: string): Promise<boolean> {
  return process.platform !== 'win32' && ((await modeOf(path)) & OTHERS) !== 0
}

/** Makes missing folders and writes `text` beside the file as a trial, then removes it. Fails as the writing would. */
export async function tryClientFile(path: string, text: string): Promise<void> {
  await writeBeside(path, text, async () => {}, 0)
}

async function writeBeside(
  path: string,
  text: string,
  finish: (temporary: string, target: string) => Promise<void>,
  takenAway: number,
): Promise<void> {
  createFolder(dirname(path))
  const target = await realpathOr(path)
  const temporary = `${target}.${randomUUID()}.tmp`
  try {
    await writeFile(temporary, text, { mode: NEW_FILE_MODE, flag: 'wx' })
    await chmod(temporary, (await modeOf(target)) & ~takenAway)
    await finish(temporary, target)
  } finally {
    await rm(temporary, { force: true })
  }
}

async function realpathOr(path: string): Promise<string> {
  try {
    return await realpath(path)
  } catch (error) {
    if (isMissing(error)) return path
    throw error
  }
}

async function modeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).mode & 0o777
  } catch (error) {
    if (isMissing(error)) return NEW_FILE_MODE
    throw error
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT'
}
