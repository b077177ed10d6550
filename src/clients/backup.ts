// What was in a client's file before we changed it, kept beside it: one file for each change, named after what the change made
// of it, so that a change is taken back only from the text that it left.
import { readdir, rm, stat, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { sha256Hex } from '../lib/hashing.ts'
import { readClientFile, restoreClientFile } from './config-file.ts'

const MARK = '.crow-backup-'
const DIGEST_CHARS = 12
/** Changes that can be taken back, one after the other. */
const KEPT_MAX = 5
/** The file may hold tokens. */
const MODE = 0o600

const nameFor = (target: string, text: string): string => `${target}${MARK}${sha256Hex(text).slice(0, DIGEST_CHARS)}`

/**
 * Keeps what is in the file. No file is kept as an empty one.
 * @param text what is about to be written
 */
export async function keepBackup(target: string, present: string | undefined, text: string): Promise<void> {
  const name = nameFor(target, text)
  await rm(name, { force: true })
  await writeFile(name, present ?? '', { mode: MODE, flag: 'wx' })
  for (const old of (await backupsOf(target)).slice(KEPT_MAX)) await rm(old, { force: true })
}

export type Undone =
  | { readonly kind: 'restored'; readonly before: string | undefined; readonly after: string | undefined }
  | { readonly kind: 'none' }
  /** @param backup the last one, which is of another text than the present one */
  | { readonly kind: 'changed'; readonly backup: string }

/**
 * Puts the text from before the last change back.
 * @param isForced does so even where the file was changed since
 */
export async function undoChange(path: string, isForced: boolean): Promise<Undone> {
  let undone: Undone = { kind: 'none' }
  await restoreClientFile(path, async (target, present) => {
    const backups = await backupsOf(target)
    const [last] = backups
    const own = nameFor(target, present ?? '')
    const backup = backups.includes(own) ? own : last
    if (backup === undefined) return present
    if (backup !== own && !isForced) {
      undone = { kind: 'changed', backup }
      return present
    }
    const text = (await readClientFile(backup)) || undefined
    await rm(backup, { force: true })
    undone = { kind: 'restored', before: present, after: text }
    return text
  })
  return undone
}

/** Newest first. */
async function backupsOf(target: string): Promise<string[]> {
  const folder = dirname(target)
  const prefix = basename(target) + MARK
  const names = (await readdir(folder)).filter((name) => name.startsWith(prefix)).map((name) => join(folder, name))
  const dated = await Promise.all(names.map(async (name) => ({ name, at: (await stat(name)).mtimeMs })))
  return dated.toSorted((one, other) => other.at - one.at).map(({ name }) => name)
}
