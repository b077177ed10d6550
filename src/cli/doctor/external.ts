// Checks of the external servers: what stands in servers.json, and whether the programs that they need are installed. Starts none.
import { accessSync, constants } from 'node:fs'
import { delimiter, isAbsolute, join, sep } from 'node:path'
import type { Config } from '../../config.ts'
import type { RawEnvironment } from '../../config/read.ts'
import type { Owner } from '../../upstream/configured.ts'
import { SERVERS_FILE } from '../../upstream/servers-file.ts'
import type { SourceSpec } from '../../upstream/spec.ts'
import { placeOf } from '../servers/place.ts'
import { visible } from '../visible.ts'
import { type CommandOf, type Finding, fail, ok, warn } from './finding.ts'

const NAME = 'external'

const INSTALL: Readonly<Record<string, string>> = {
  npx: 'Install Node.js, which brings npx.',
  uvx: 'Install uv, which brings uvx: https://docs.astral.sh/uv/',
  docker: 'Install Docker.',
}

export function checkExternal(
  config: Config,
  environment: RawEnvironment,
  secrets: Owner['secrets'],
  commandOf: CommandOf,
): Finding[] {
  const { list } = placeOf(environment, config, secrets)
  const on = list.specs.filter(({ enabled }) => enabled)
  const said = on.length === 0 ? 'no server is configured' : on.map(({ id }) => id).join(', ')
  return [
    ok(NAME, said),
    ...list.problems.map(({ id, message }) =>
      id === SERVERS_FILE
        ? fail(NAME, visible(message), 'Until then the servers in it are not served.')
        : warn(
            NAME,
            visible(message),
            `Correct it in ${SERVERS_FILE}, or: ${commandOf('servers', 'disable', visible(id))}`,
          ),
    ),
    ...list.notes.map(({ message }) => warn(NAME, visible(message), 'It works as it is; correct it when you can.')),
    ...on.flatMap((spec) => missingProgram(spec, environment)),
  ]
}

function missingProgram({ id, target }: SourceSpec, environment: RawEnvironment): Finding[] {
  if (target.kind !== 'stdio') return []
  const { command, env } = target
  if (isThere(command, env['PATH'] ?? environment['PATH'] ?? '')) return []
  return [
    warn(
      NAME,
      visible(`${id} needs ${command}, which is not found`),
      INSTALL[command] ?? 'Install it, or correct the command.',
    ),
  ]
}

/** A relative path depends on where the server is started; that is left to the start. */
function isThere(command: string, path: string): boolean {
  if (isAbsolute(command)) return isProgram(command)
  if (command.includes('/') || command.includes(sep)) return true
  const endings = process.platform === 'win32' ? ['', '.exe', '.cmd', '.bat'] : ['']
  return path.split(delimiter).some((folder) => endings.some((ending) => isProgram(join(folder, command + ending))))
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error) return false
    throw error
  }
}
