// Checks of the program itself: the Node that runs it, and the native SQLite binding.
import { sep } from 'node:path'
import { projectRoot } from '../launch.ts'
import { isPinned, nodeProblem } from '../node-version.ts'
import { type Finding, fail, ok } from './finding.ts'

export function checkNode(): Finding {
  const { version, execPath } = process
  const problem = nodeProblem(process.versions.node)
  const isBrought = isPinned(process.platform, process.arch)
  const fix = `Install Node.js 22.18 or newer${isBrought ? ', or run npm ci' : ''}.`
  if (problem !== undefined) return fail('node', problem, fix)
  const pinned = execPath.startsWith(`${projectRoot()}${sep}node_modules${sep}`) ? ', pinned' : ''
  return ok('node', `${version}${pinned} (${execPath})`)
}

/** Loads the binding and asks it something: a file for another Node or another processor fails here. */
export async function checkBinding(): Promise<Finding> {
  try {
    const { default: BetterSqlite3 } = await import('better-sqlite3')
    const memory = new BetterSqlite3(':memory:')
    try {
      const version: unknown = memory.prepare('SELECT sqlite_version()').pluck().get()
      return ok('sqlite', `SQLite ${String(version)}`)
    } finally {
      memory.close()
    }
  } catch (error) {
    const [why = ''] = String(error instanceof Error ? error.message : error).split('\n')
    return fail(
      'sqlite',
      `the SQLite binding cannot be loaded: ${why}`,
      `Run npm ci in ${projectRoot()} with the Node.js that runs crow.`,
    )
  }
}
