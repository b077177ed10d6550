// Where Windows finds a bare command: in the folders of PATH, with one of the extensions of PATHEXT. Elsewhere the system
// looks by itself.
import { statSync } from 'node:fs'
import { win32 } from 'node:path'

const EXTENSIONS = '.COM;.EXE;.BAT;.CMD'

/**
 * @param environment of the program that is to be started
 * @returns the file with its extension, or undefined where there is none or the command is a path
 */
export function findCommand(
  command: string,
  environment: Readonly<Record<string, string>>,
  isFile: (path: string) => boolean = (path) => statSync(path, { throwIfNoEntry: false })?.isFile() === true,
): string | undefined {
  if (/[\\/:]/.test(command)) return undefined
  const variables = new Map(Object.entries(environment).map(([name, value]) => [name.toUpperCase(), value]))
  const extensions = (variables.get('PATHEXT') ?? EXTENSIONS).split(';').filter((each) => each !== '')
  const endings = win32.extname(command) === '' ? extensions : ['', ...extensions]
  const folders = (variables.get('PATH') ?? '').split(';').filter((each) => each !== '')
  return folders.flatMap((folder) => endings.map((ending) => win32.join(folder, `${command}${ending}`))).find(isFile)
}
