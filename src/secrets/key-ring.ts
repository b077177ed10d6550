// Where the keys come from: CROW_KEY, or the file `crow.key` in the data folder, made at the first start. The newest key seals,
// every key opens; there is more than one only while keys are being rotated.
import { linkSync, readFileSync, renameSync, statSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DomainError, GatewayError } from '../errors.ts'
import { createFolder, isExisting, syncFolder } from '../lib/folder.ts'
import { freshKey, readKey, writeKey, type Key } from './key.ts'

/** Newest first; never empty. */
export type Keys = readonly [Key, ...Key[]]

export interface KeyRing {
  /** What the keys are now; `again` looks at the file anew, for a key that another process brought. */
  keys(again?: 'again'): Keys
  /** Replaces the keys; undefined where they come from the environment and only their owner can. */
  readonly replace: ((keys: Keys) => void) | undefined
}

export interface KeyPlace {
  readonly dataDir: string
  /** The value of CROW_KEY: one key, or several separated by commas, newest first. */
  readonly written?: string | null
}

/**
 * @throws DomainError KEY_INVALID for keys that cannot be used, KEY_EXPOSED for a file that other users can read
 * @throws GatewayError KEY_UNREADABLE
 */
export function openKeyRing({ dataDir, written }: KeyPlace): KeyRing {
  if (written !== undefined && written !== null) {
    const fixed = parse(written.split(','), 'CROW_KEY')
    return { keys: () => fixed, replace: undefined }
  }
  const path = join(dataDir, 'crow.key')
  let keys = readFile(path) ?? makeFile(dataDir, path)
  return {
    keys: (again) => (again === undefined ? keys : (keys = readFile(path) ?? keys)),
    replace: (next) => {
      const draft = `${path}.${process.pid}.new`
      writeFileSync(draft, textOf(next), { mode: 0o600, flag: 'w', flush: true })
      renameSync(draft, path)
      // Before anything is sealed under a new key, the name has to survive a crash as well as the bytes.
      syncFolder(dataDir)
      keys = next
    },
  }
}

function readFile(path: string): Keys | undefined {
  const stat = statSync(path, { throwIfNoEntry: false })
  if (stat === undefined) return undefined
  if (process.platform !== 'win32' && (stat.mode & 0o077) !== 0) {
    throw new DomainError('invalid', 'KEY_EXPOSED', `Other users of this machine can read or change the key ${path}.`, {
      hint: `Run: chmod 600 '${path}'. If anybody else may have read it, \`crow key rotate\` afterwards.`,
    })
  }
  try {
    return parse(readFileSync(path, 'utf8').split('\n'), path)
  } catch (error) {
    if (error instanceof DomainError) throw error
    throw new GatewayError('unavailable', 'KEY_UNREADABLE', `The key ${path} cannot be read.`, { cause: error })
  }
}

/** Two first starts at once make one key between them: the file appears whole, and the later one reads it. */
function makeFile(dataDir: string, path: string): Keys {
  createFolder(dataDir)
  const made: Keys = [freshKey()]
  const draft = `${path}.${process.pid}.new`
  writeFileSync(draft, textOf(made), { mode: 0o600, flag: 'w', flush: true })
  try {
    linkSync(draft, path)
    syncFolder(dataDir)
    return made
  } catch (error) {
    if (!isExisting(error)) throw error
    return readFile(path) ?? made
  } finally {
    unlinkSync(draft)
  }
}

function parse(lines: readonly string[], place: string): Keys {
  const read = lines.map((line) => line.trim()).filter((line) => line !== '' && !line.startsWith('#'))
  const keys = read.map(readKey)
  const bad = keys.find((key) => typeof key === 'string')
  const [newest, ...older] = keys.filter((key) => typeof key !== 'string')
  if (bad !== undefined || newest === undefined) {
    const why = bad ?? 'is empty'
    throw new DomainError('invalid', 'KEY_INVALID', `${place} ${why}.`, {
      hint: 'Without the key that sealed them, provider keys and logins have to be set up again.',
    })
  }
  return [newest, ...older]
}

function textOf(keys: Keys): string {
  const lines = keys.map(writeKey).join('\n')
  return `# The key of this gateway's secrets. Keep a copy apart from the database; show it to nobody.\n${lines}\n`
}
