// Where data lives when nobody says otherwise, by the customs of each operating system.
import { homedir } from 'node:os'
import { isAbsolute, join, resolve } from 'node:path'
import type { RawEnvironment } from './read.ts'

/**
 * The folder of the database.
 * @see https://specifications.freedesktop.org/basedir-spec/latest/ a relative XDG_DATA_HOME is ignored
 */
export function dataFolder(
  chosen: { home: string | undefined; dataDir: string | undefined },
  raw: RawEnvironment,
  platform: NodeJS.Platform,
): string {
  const home = raw['HOME'] || homedir()
  const absolute = (path: string): string => resolve(path.replace(/^~(?=$|[/\\])/, home))
  if (chosen.dataDir !== undefined) return absolute(chosen.dataDir)
  if (chosen.home !== undefined) return join(absolute(chosen.home), 'data')
  if (platform === 'darwin') return join(home, 'Library', 'Application Support', 'crow')
  if (platform === 'win32') return join(raw['LOCALAPPDATA'] || join(homedir(), 'AppData', 'Local'), 'crow')
  const shared = raw['XDG_DATA_HOME']
  return join(shared !== undefined && isAbsolute(shared) ? shared : join(home, '.local', 'share'), 'crow')
}
