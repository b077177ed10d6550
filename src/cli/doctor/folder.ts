// Checks of the data folder: whether it can be written, who else may look into it, and how much room is left.
import { accessSync, constants, mkdtempSync, rmdirSync, statfsSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Config } from '../../config.ts'
import { type Finding, fail, ok, warn } from './finding.ts'

const FREE_BYTES_MIN = 100 * 1024 * 1024

export function checkFolder({ dataDir }: Config): Finding[] {
  const name = 'data folder'
  const stat = statSync(dataDir, { throwIfNoEntry: false })
  if (stat === undefined) {
    const code = whyNotMade(dataDir)
    if (code === undefined) return [ok(name, `${dataDir} will be made at the first start`)]
    return [fail(name, `${dataDir} cannot be made (${code})`, 'Point CROW_DATA_DIR or --data-dir elsewhere.')]
  }
  if (!stat.isDirectory())
    return [fail(name, `${dataDir} is not a folder`, 'Move that file away, or point CROW_DATA_DIR elsewhere.')]
  const refusal = whyNotWritten(dataDir)
  const findings = [refusal === undefined ? ok(name, dataDir) : unwritable(name, dataDir, stat.uid, refusal)]
  const mode = stat.mode & 0o777
  if (process.platform !== 'win32' && (mode & 0o077) !== 0) {
    findings.push(
      warn('permissions', `other users may look into ${dataDir} (mode ${mode.toString(8)})`, `chmod 700 ${dataDir}`),
    )
  } else findings.push(ok('permissions', `mode ${mode.toString(8)}`))
  const { bavail, bsize } = statfsSync(dataDir)
  const freeBytes = bavail * bsize
  const free = `${Math.floor(freeBytes / 1024 / 1024)} MB free`
  findings.push(
    freeBytes < FREE_BYTES_MIN
      ? warn('disk', free, 'Free some space: writes are refused when the disk is full.')
      : ok('disk', free),
  )
  return findings
}

/** Tries it in the nearest folder that exists: permissions alone do not tell (`/proc`, quotas). The code of the refusal. */
function whyNotMade(folder: string): string | undefined {
  try {
    let parent = dirname(folder)
    while (statSync(parent, { throwIfNoEntry: false }) === undefined) parent = dirname(parent)
    rmdirSync(mkdtempSync(join(parent, '.crow-doctor-')))
    return undefined
  } catch (error) {
    if (error instanceof Error && 'code' in error) return String(error.code)
    throw error
  }
}

/** The code of the refusal. */
function whyNotWritten(folder: string): string | undefined {
  try {
    accessSync(folder, constants.W_OK | constants.X_OK)
    return undefined
  } catch (error) {
    if (error instanceof Error && 'code' in error) return String(error.code)
    throw error
  }
}

/** @param code of the refusal */
export function unwritable(name: string, folder: string, owner: number, code: string): Finding {
  if (code === 'EROFS')
    return fail(name, `${folder} is on a read-only file system`, 'Mount it writable, or point CROW_DATA_DIR elsewhere.')
  const us = process.getuid?.()
  return fail(
    name,
    `${folder} belongs to uid ${owner} and cannot be written by uid ${us ?? '?'}`,
    `chown ${us ?? 'USER'} ${folder}, or point CROW_DATA_DIR elsewhere.`,
  )
}
