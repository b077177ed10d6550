// Finds the file in which a client keeps its MCP servers on this machine.
import { posix, win32 } from 'node:path'
import type { AiClient } from './table.ts'

export interface Machine {
  readonly platform: NodeJS.Platform
  readonly home: string
  /** The folder a relative path belongs to. */
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
}

/** Absolute path of the client's file, or undefined when the client does not exist on this platform. */
export function clientFile(client: AiClient, machine: Machine): string | undefined {
  const { platform } = machine
  const named =
    platform === 'linux' || platform === 'darwin' || platform === 'win32' ? client.file[platform] : undefined
  const template = named ?? client.file.everywhere
  if (template === undefined) return undefined
  const paths = platform === 'win32' ? win32 : posix
  const [first = '', ...rest] = template.split('/')
  if (first === '~') return paths.join(machine.home, ...rest)
  if (first === '$CONFIG') return paths.join(settingsFolder(machine), ...rest)
  return paths.join(machine.cwd, first, ...rest)
}

/** Whether the client's file belongs to the project in the current folder, not to the person. */
export function isProjectFile({ file }: AiClient): boolean {
  return file.everywhere !== undefined && /^[^~$]/.test(file.everywhere)
}

/** Where applications keep their settings: XDG on Linux, Application Support on macOS, roaming AppData on Windows. */
function settingsFolder({ platform, home, env }: Machine): string {
  if (platform === 'win32') return env['APPDATA'] ?? win32.join(home, 'AppData', 'Roaming')
  if (platform === 'darwin') return posix.join(home, 'Library', 'Application Support')
  const xdg = env['XDG_CONFIG_HOME']
  return xdg !== undefined && posix.isAbsolute(xdg) ? xdg : posix.join(home, '.config')
}
