// Where data lives when nobody says otherwise, by the customs of each operating system.
import { homedir } from 'node:os'
import { isAbsolute, join, resolve } from 'node:path'
import type { RawEnvironment } from './read.ts'

const homeOf = (raw: RawEnvironment): string => raw['HOME'] || homedir()

/** A path as written in a setting, made absolute; a tilde means the home folder, which no shell has put there. */
export function absolutePath(path: string, raw: RawEnvironment): string {
  return resolve(path.replace(/^~(?=$|[/\\])/, () => homeOf(raw)))
}

/**
 * The folder of the database.
 * @see https://specifications.freedesktop.org/basedir-spec/latest/ a relative XDG_DATA_HOME is ignored
 */
export function dataFolder(
  chosen: { home: string | undefined; dataDir: string | undefined },
  raw: RawEnvironment,
  platform: NodeJS.Platform,
): string {
  const home = homeOf(raw)
  if (chosen.dataDir !== undefined) return absolutePath(chosen.dataDir, raw)
  if (chosen.home !== undefined) return join(absolutePath(chosen.home, raw), 'data')
  if (platform === 'darwin') return join(home, 'Library', 'Application Support', 'crow')
  if (platform === 'win32') return join(raw['LOCALAPPDATA'] || join(homedir(), 'AppData', 'Local'), 'crow')
  const shared = raw['XDG_DATA_HOME']
  return join(shared !== undefined && isAbsolute(shared) ? shared : join(home, '.local', 'share'), 'crow')
}
