// Decides whether a live socket is this user's own. Anybody may write into the system's temporary folder, so a link that leads
// there is followed only to a folder and a socket that nobody else can have put there, or exchange.
import { lstatSync, readlinkSync, realpathSync, type Stats, statSync } from 'node:fs'
import { basename, dirname, isAbsolute } from 'node:path'

/** How the names of our folders in the temporary folder begin. */
export const ELSEWHERE = 'crow-live-'

const OTHERS = 0o077
const OTHERS_WRITE = 0o022
const STICKY = 0o1000
const ROOT_UID = 0

/**
 * The path to connect to for a name in the data folder.
 * @returns null where the name, or what it leads to, is there no more or not ours; undefined where the name itself is not ours
 */
export function ownSocketOf(entry: string): string | null | undefined {
  const stat = statOf(entry)
  if (stat === undefined) return null
  if (!isOurs(stat)) return undefined
  if (!stat.isSymbolicLink()) return entry
  const target = privateTarget(entry)
  const socket = target === undefined ? undefined : statOf(target)
  return target !== undefined && socket?.isSocket() === true && isOurs(socket) ? target : null
}

/** Where a link of ours leads, if that is inside a folder which only this user may enter or exchange. */
export function privateTarget(entry: string): string | undefined {
  const link = statOf(entry)
  if (link?.isSymbolicLink() !== true || !isOurs(link)) return undefined
  const target = readlinkSync(entry)
  const folder = dirname(target)
  if (!isAbsolute(target) || !basename(folder).startsWith(ELSEWHERE)) return undefined
  const stat = statOf(folder)
  const isPrivate = stat?.isDirectory() === true && isOurs(stat) && (stat.mode & OTHERS) === 0
  return isPrivate && isFirm(dirname(folder)) ? target : undefined
}

/** Whether nobody but root and this user can exchange what is in the folder, or a folder above it. */
function isFirm(folder: string): boolean {
  for (let at = realpathSync(folder); ; at = dirname(at)) {
    const { uid, mode } = statSync(at)
    if (uid !== ROOT_UID && uid !== process.getuid?.()) return false
    if ((mode & OTHERS_WRITE) !== 0 && (mode & STICKY) === 0) return false
    if (at === dirname(at)) return true
  }
}

function isOurs({ uid }: Stats): boolean {
  return uid === process.getuid?.()
}

/** Of the name itself, not of what a link leads to; undefined where there is nothing to be seen. */
function statOf(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false })
  } catch (error) {
    if (error instanceof Error && 'code' in error) return undefined
    throw error
  }
}
