// The absolute command line that starts this program again from anywhere: no PATH, no working directory, no shell.
import { existsSync } from 'node:fs'
import { dirname, join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Folder of package.json: this file lies in `src/cli` or, bundled, in a folder beside it. */
export function projectRoot(): string {
  let folder = dirname(fileURLToPath(import.meta.url))
  while (!existsSync(join(folder, 'package.json')) && dirname(folder) !== folder) folder = dirname(folder)
  return folder
}

/**
 * Program and arguments to start `crow` with. `bin/crow` where the pinned Node runs it, as that survives an upgrade of
 * everything else; otherwise the Node that runs now with the absolute entry file.
 */
export function launchCommand(root: string, execPath: string, args: readonly string[]): [string, ...string[]] {
  const script = join(root, 'bin', 'crow')
  const isPinned = execPath.startsWith(join(root, 'node_modules') + sep)
  if (isPinned && existsSync(script)) return [script, ...args]
  const bundle = join(root, 'dist', 'main.js')
  return [execPath, existsSync(bundle) ? bundle : join(root, 'src', 'main.ts'), ...args]
}

/** One line for a POSIX shell, quoted only where it must be. */
export function shellLine(words: readonly string[]): string {
  return words
    .map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`))
    .join(' ')
}
