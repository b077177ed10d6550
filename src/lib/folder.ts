// Makes folders, privately and without ever hanging, and makes the names in them last.
import { closeSync, fsyncSync, mkdirSync, openSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/** Whether a file-system call failed because the thing is there already. */
export function isExisting(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EEXIST'
}

/**
 * Makes a folder and its missing ancestors, one by one, for this user only (0700). Not `mkdir` with `recursive`: that never
 * returns where a file system answers ENOENT to every mkdir, as `/proc` does.
 * @throws Error of the file system; with code ENOTDIR when the path is something else
 */
export function createFolder(folder: string): void {
  const missing: string[] = []
  for (let at = folder; statSync(at, { throwIfNoEntry: false }) === undefined; at = dirname(at)) missing.push(at)
  for (const at of missing.toReversed()) {
    try {
      mkdirSync(at, 0o700)
    } catch (error) {
      if (!isExisting(error)) throw error
    }
  }
  if (!statSync(folder).isDirectory()) throw Object.assign(new Error('not a folder'), { code: 'ENOTDIR' })
}

/**
 * Puts the names in a folder on disk, so that a file just made or renamed is there after a crash. Windows opens no folders, and
 * keeps their names by itself.
 * @throws Error of the file system
 */
export function syncFolder(folder: string, platform: NodeJS.Platform = process.platform): void {
  if (platform === 'win32') return
  const handle = openSync(folder, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}
