// Reads and replaces a client's configuration file: never half-written, symbolic links followed. Permissions are kept, but a
// file that holds a token is for its owner only.
import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chmod, readFile, readlink, realpath, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { createFolder, isExisting } from '../lib/folder.ts'

/** A new file may hold a token, so nobody else reads it. */
const NEW_FILE_MODE = 0o600
const OTHERS = 0o077
const LINKS_MAX = 40
/** The lock is held for the time of one small write. */
const LOCK_STALE_MS = 5_000
const LOCK_WAIT_MS = 15_000
const LOCK_LOOK_MS = 20

/** Text of the file, or undefined when there is none. */
export async function readClientFile(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}

/** Called before another text is put into the file, while nobody else of ours changes it. What it throws is thrown on. */
export type BeforeChange = (target: string, present: string | undefined, text: string) => Promise<void>

/**
 * Changes the file: writes the new text beside it and renames that into place; makes missing folders. Several processes that
 * change one file at once do so one after the other, and none loses what another has written.
 * @param edit the new text from the present one; whatever it throws is thrown on, and then nothing is written
 * @param holdsToken takes the file from everybody but its owner
 * @returns the text before
 */
export async function changeClientFile(
  path: string,
  edit: (present: string | undefined) => string,
  holdsToken: boolean,
  before?: BeforeChange,
): Promise<string | undefined> {
  createFolder(dirname(path))
  const target = await followed(path)
  createFolder(dirname(target))
  return await alone(target, async () => {
    const present = await readClientFile(target)
    const text = edit(present)
    const isLoose = holdsToken && (await isOpenToOthers(target))
    if (text !== present) await before?.(target, present, text)
    if (text !== present || isLoose) await writeBeside(target, text, rename, holdsToken ? OTHERS : 0)
    return present
  })
}

/**
 * Takes a change back while no other process of ours works on the file.
 * @param choose the text to put there, undefined for no file, from the file and what is in it
 */
export async function restoreClientFile(
  path: string,
  choose: (target: string, present: string | undefined) => Promise<string | undefined>,
): Promise<void> {
  const target = await followed(path)
  if (!existsSync(dirname(target))) return
  await alone(target, async () => {
    const present = await readClientFile(target)
    const text = await choose(target, present)
    if (text === present) return
    if (text === undefined) await rm(target, { force: true })
    else await writeBeside(target, text, rename, 0)
  })
}

/** Whether others than its owner may do anything with the file. Windows has no such permissions. */
export async function isOpenToOthers(path: string): Promise<boolean> {
  return process.platform !== 'win32' && ((await modeOf(path)) & OTHERS) !== 0
}

/** Makes missing folders and writes `text` beside the file as a trial, then removes it. Fails as the writing would. */
export async function tryClientFile(path: string, text: string): Promise<void> {
  createFolder(dirname(path))
  const target = await followed(path)
  createFolder(dirname(target))
  await writeBeside(target, text, async () => {}, 0)
}

async function writeBeside(
  target: string,
  text: string,
  finish: (temporary: string, target: string) => Promise<void>,
  takenAway: number,
): Promise<void> {
  const temporary = `${target}.${randomUUID()}.tmp`
  try {
    await writeFile(temporary, text, { mode: NEW_FILE_MODE, flag: 'wx' })
    await chmod(temporary, (await modeOf(target)) & ~takenAway)
    await finish(temporary, target)
  } finally {
    await rm(temporary, { force: true })
  }
}

/** The file that the path stands for: symbolic links are followed, also where the last one leads to nothing yet. */
async function followed(path: string): Promise<string> {
  let at = path
  for (let hops = 0; hops < LINKS_MAX; hops++) {
    try {
      return await realpath(at)
    } catch (error) {
      if (!isMissing(error)) throw error
    }
    const link = await linkOf(at)
    if (link === undefined) return at
    at = resolve(dirname(at), link)
  }
  throw Object.assign(new Error('too many symbolic links'), { code: 'ELOOP' })
}

async function linkOf(path: string): Promise<string | undefined> {
  try {
    return await readlink(path)
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'EINVAL' || isMissing(error))) return undefined
    throw error
  }
}

/** Runs `work` while no other process of ours works on the file. What a killed one left is taken away after a while. */
async function alone<T>(target: string, work: () => Promise<T>): Promise<T> {
  const lock = `${target}.crow-lock`
  for (const startedAt = performance.now(); ; await delay(LOCK_LOOK_MS)) {
    try {
      await writeFile(lock, '', { mode: NEW_FILE_MODE, flag: 'wx' })
      break
    } catch (error) {
      if (!isExisting(error) || performance.now() - startedAt > LOCK_WAIT_MS) throw error
      await removeStale(lock)
    }
  }
  try {
    return await work()
  } finally {
    await rm(lock, { force: true })
  }
}

async function removeStale(lock: string): Promise<void> {
  try {
    if (Date.now() - (await stat(lock)).mtimeMs > LOCK_STALE_MS) await rm(lock, { force: true })
  } catch (error) {
    if (!isMissing(error)) throw error
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
