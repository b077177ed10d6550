// How a command is started on a platform. Pure: looks at nothing but its arguments, so that Windows is tested anywhere.

export interface LaunchPlan {
  /** What is started. */
  readonly file: string
  readonly args: readonly string[]
  /** Whether `args` are the very text of the command line (Windows); they are escaped already. */
  readonly verbatim: boolean
}

/** Cannot be started as written: one sentence. */
export class LaunchRefused extends Error {}

/** Scripts on Windows, where a program can only be an `.exe`: Node starts none of them by itself. */
const WINDOWS_SCRIPTS = new Set(['npx', 'npm', 'pnpm', 'pnpx', 'yarn', 'yarnpkg', 'corepack', 'tsx', 'ts-node'])
const SCRIPT_FILE = /\.(cmd|bat)$/i

/**
 * @param platform as `process.platform`
 * @param find where a bare command is found on PATH, with its extension; only asked on Windows
 * @throws LaunchRefused where an argument cannot be carried
 */
export function launchPlan(
  platform: string,
  command: string,
  args: readonly string[],
  find: (command: string) => string | undefined = () => undefined,
): LaunchPlan {
  const bad = [command, ...args].find((text) => text.includes('\0'))
  if (bad !== undefined || command === '') throw new LaunchRefused('A command is not empty and has no zero byte in it.')
  if (platform !== 'win32' || !isWindowsScript(find(command) ?? command))
    return { file: command, args, verbatim: false }
  const parts = [windowsWord(command), ...args.map((arg) => windowsArgument(arg))]
  // The outer quotes are taken off by `/s`, and nothing inside is looked at for that.
  return { file: 'cmd.exe', args: ['/d', '/s', '/c', `"${parts.join(' ')}"`], verbatim: true }
}

function isWindowsScript(command: string): boolean {
  return WINDOWS_SCRIPTS.has(command.toLowerCase()) || SCRIPT_FILE.test(command)
}

const META = /[()\][%!^"`<>&|;, *?]/g

const caretEscaped = (text: string): string => text.replaceAll(META, (letter) => `^${letter}`)

function refuseLineBreak(text: string): void {
  if (/[\r\n]/.test(text))
    throw new LaunchRefused('On Windows an argument of a script (npx and the like) cannot have a line break in it.')
}

function windowsWord(command: string): string {
  refuseLineBreak(command)
  return caretEscaped(command)
}

/**
 * Quoted as the C runtime reads an argument, then escaped for the command interpreter, twice: it reads the line once, and the
 * script hands its arguments on in a line that it reads again.
 */
function windowsArgument(arg: string): string {
  refuseLineBreak(arg)
  const inner = arg.replaceAll(/(\\*)"/g, String.raw`$1$1\"`).replace(/(\\+)$/, '$1$1')
  return caretEscaped(caretEscaped(`"${inner}"`))
}
