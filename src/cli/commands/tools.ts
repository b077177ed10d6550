// `crow tools`: every tool this gateway offers, and the capability lock that notices when one of them changes.
import { readFile, writeFile } from 'node:fs/promises'
import type { Catalog } from '../../runtime/catalog.ts'
import { diffLocks } from '../../runtime/lock-diff.ts'
import { buildLock, type CapabilityLock, parseLock, renderLock } from '../../runtime/lock.ts'
import { GatewayError } from '../../errors.ts'
import { everyone } from '../../runtime/compile-server.ts'
import { SOURCE_ID } from '../../upstream/source.ts'
import { defineCommand, sharedOptions } from '../command.ts'
import { lockPath, mountPaths } from '../connection.ts'
import { declaredCatalog } from '../declared.ts'
import { type ExitCode, exitCodes } from '../exit-codes.ts'
import { launchCommand, projectRoot, shellLine } from '../launch.ts'
import { isExternal } from '../external.ts'
import { type Option, UsageError } from '../options.ts'
import { absolutePath, configOf, withGateway } from '../setup.ts'
import { tableOf } from '../table.ts'
import type { Terminal } from '../terminal.ts'
import { unknownServer } from '../unknown-server.ts'

const options = {
  ...sharedOptions,
  lock: {
    type: 'flag',
    help: 'write the capability lock: names, schemas, effects, limits and middleware of every tool',
  },
  check: { type: 'flag', help: 'compare with the lock; exit code 1 when something differs' },
  file: { type: 'text', value: 'PATH', help: 'another lock file than crow.lock.json' },
} as const satisfies Record<string, Option>

export const tools = defineCommand({
  name: 'tools',
  usage: '[SERVER] [--json] | --lock | --check',
  summary: 'list every tool, or write and check the capability lock',
  positionals: [0, 1],
  options,
  async run(terminal, { options: given, positionals: [serverId] }) {
    if (isExternal(serverId) && given.lock !== true && given.check !== true) return await listExternal(terminal, given)
    const catalog = declaredCatalog()
    const file = given.file === undefined ? lockPath() : absolutePath(given.file)
    if (given.lock === true && given.check === true) throw new UsageError('--lock and --check exclude each other')
    if (given.lock === true) return await writeLock(terminal, catalog, file)
    if (given.check === true) return await checkLock(terminal, catalog, file, given.json === true)
    return list(terminal, catalog, serverId, given.json === true)
  },
})

/** What the external servers of the data folder have. */
async function listExternal(
  terminal: Terminal,
  given: { readonly json?: boolean | undefined; readonly 'data-dir'?: string | undefined },
): Promise<ExitCode> {
  return await withGateway(configOf(terminal, given), async ({ catalog, externals }) => {
    await externals.known()
    return list(terminal, catalog, SOURCE_ID, given.json === true)
  })
}

function list(terminal: Terminal, catalog: Catalog, serverId: string | undefined, asJson: boolean): ExitCode {
  const chosen = serverId === undefined ? catalog.servers : catalog.servers.filter(({ id }) => id === serverId)
  if (chosen.length === 0) {
    throw unknownServer(
      serverId ?? '',
      catalog.servers.map(({ id }) => id),
    )
  }
  if (asJson) {
    terminal.out(
      JSON.stringify(
        chosen.map((server) => ({
          server: server.id,
          summary: server.summary,
          paths: mountPaths(server),
          tools: server.usable(everyone).map(({ name, publicName, effect, signature, declaration, inputSchema }) => ({
            name,
            publicName,
            effect,
            summary: declaration.summary,
            signature,
            inputSchema,
          })),
        })),
      ),
    )
    return exitCodes.ok
  }
  for (const server of chosen) {
    terminal.out(`${terminal.style('bold', server.id)}  ${mountPaths(server).join(' ')}  ${server.summary}`)
    const rows = server.usable(everyone).map(({ name, effect, declaration }) => [name, effect, declaration.summary])
    for (const line of tableOf(['tool', 'effect', 'what it does'], rows)) terminal.out(`  ${line}`)
  }
  return exitCodes.ok
}

async function writeLock(terminal: Terminal, catalog: Catalog, file: string): Promise<ExitCode> {
  await writeFile(file, renderLock(buildLock(catalog)))
  terminal.out(`${file} is written.`)
  return exitCodes.ok
}

async function checkLock(terminal: Terminal, catalog: Catalog, file: string, asJson: boolean): Promise<ExitCode> {
  const changes = diffLocks(await readLock(file), buildLock(catalog))
  if (asJson) terminal.out(JSON.stringify(changes))
  else if (changes.length === 0) terminal.out('The tools are as the lock says.')
  else {
    for (const change of changes) {
      const where = [change.server, change.tool].filter(Boolean).join('.')
      terminal.out(`${change.severity.padEnd(8)} ${where}: ${change.message}`)
    }
    terminal.err(`crow: the tools differ from the lock; if that is meant, ${lockCommand()} writes it anew.`)
  }
  return changes.length === 0 ? exitCodes.ok : exitCodes.failure
}

async function readLock(file: string): Promise<CapabilityLock> {
  try {
    return parseLock(await readFile(file, 'utf8'))
  } catch (error) {
    const why = error instanceof SyntaxError ? `is no lock of this version (${error.message})` : 'cannot be read'
    throw new GatewayError('missing', 'LOCK_MISSING', `the lock ${file} ${why}`, {
      hint: `${lockCommand()} writes it anew.`,
      cause: error,
    })
  }
}

function lockCommand(): string {
  return shellLine(launchCommand(projectRoot(), process.execPath, ['tools', '--lock']))
}
