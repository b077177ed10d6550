// `crow doctor`: one line per check, and with everything that is not well the way to mend it.
import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { type Config, type ConfigOverrides, loadConfig } from '../../config.ts'
import { ConfigError } from '../../errors.ts'
import { defineCommand, gatewayPort, sharedOptions } from '../command.ts'
import { type CommandOf, type Finding, fail, ok, type Status, warn } from '../doctor/finding.ts'
import { checkFolder } from '../doctor/folder.ts'
import { checkBinding, checkNode } from '../doctor/program.ts'
import { crowCommand, usualDataDir } from '../connection.ts'
import { exitCodes } from '../exit-codes.ts'
import { shellLine } from '../launch.ts'
import { withGateway } from '../setup.ts'
import type { Environment, Style, Terminal } from '../terminal.ts'

const styles: Readonly<Record<Status, Style>> = { ok: 'green', warn: 'yellow', fail: 'red' }

export const doctor = defineCommand({
  name: 'doctor',
  usage: '[--data-dir FOLDER] [--port N] [--json]',
  summary: 'check this installation and say how to mend what is wrong',
  options: { ...sharedOptions, ...gatewayPort },
  notes: ['Changes nothing and leaves nothing behind. The exit code is 1 when a check fails; a warning does not fail.'],
  async run(terminal, { options }) {
    const findings = await examine(terminal, { dataDir: options['data-dir'], port: options.port })
    const isWell = findings.every(({ status }) => status !== 'fail')
    if (options.json === true) terminal.out(JSON.stringify({ ok: isWell, checks: findings }))
    else for (const line of findings.flatMap((finding) => linesOf(terminal, finding))) terminal.out(line)
    return isWell ? exitCodes.ok : exitCodes.failure
  },
})

function linesOf(terminal: Terminal, { name, status, message, fix }: Finding): string[] {
  const line = `${terminal.style(styles[status], status.padEnd(4))}  ${name.padEnd(13)} ${message}`
  return fix === undefined ? [line] : [line, `      ${''.padEnd(13)} → ${fix}`]
}

async function examine(terminal: Terminal, overrides: ConfigOverrides): Promise<Finding[]> {
  const binding = await checkBinding()
  const program = [checkNode(), binding]
  const { config: written, findings } = readConfig(terminal, overrides)
  if (written === undefined) return [...program, ...findings]
  const data = [...program, ...findings, ...checkFolder(written)]
  if (binding.status === 'fail') return data
  const { checkDatabase } = await import('../doctor/database.ts')
  const { checkKeyPlace } = await import('../doctor/key.ts')
  const { checkPort } = await import('../doctor/surroundings.ts')
  const { checkClients, linkedClients } = await import('../doctor/clients.ts')
  const { reachableConfig, runningGateways } = await import('../running.ts')
  const config = await reachableConfig(written, overrides.port === undefined ? undefined : written.port)
  const commandOf = (...words: readonly string[]): string => shellLine(crowCommand(terminal, config, ...words))
  const database = checkDatabase(config)
  const machine = {
    platform: process.platform,
    home: terminal.env['HOME'] ?? homedir(),
    cwd: process.cwd(),
    env: terminal.env,
  }
  const linked = await linkedClients(config, machine, usualDataDir(terminal))
  const running = await runningGateways(config.dataDir)
  // Without Unix sockets a gateway cannot be found by its folder.
  const isRunning = running.length > 0 || process.platform === 'win32'
  const secrets = linked.flatMap((one) => one.secrets)
  const key = checkKeyPlace(config, database.isCurrent)
  const inside =
    database.isCurrent && key.isThere
      ? await examineGateway(config, { secrets, commandOf, env: terminal.env })
      : { findings: await withoutGateway(config, terminal, commandOf), dead: new Set<string>() }
  return [
    ...data,
    ...database.findings,
    ...key.findings,
    ...inside.findings,
    await checkPort(config, running),
    ...(isRunning ? [] : [warn('gateway', 'none runs on this data folder', `Start it: ${commandOf('serve')}`)]),
    ...checkClients(
      linked,
      (secret) => inside.dead.has(secret) || !existsSync(config.databasePath),
      isRunning,
      commandOf,
    ),
  ]
}

function readConfig(terminal: Terminal, overrides: ConfigOverrides): { config?: Config; findings: Finding[] } {
  try {
    const config = loadConfig(terminal.env, overrides)
    const warnings = config.warnings.map((warning) => warn('configuration', warning, 'Correct or remove it.'))
    return { config, findings: [ok('configuration', 'valid'), ...warnings] }
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return {
      findings: error.problems.map((problem) =>
        fail('configuration', problem, 'docs/CONFIG.md lists what each setting takes.'),
      ),
    }
  }
}

interface Around {
  readonly secrets: readonly string[]
  readonly commandOf: CommandOf
  readonly env: Environment
}

/** Where nothing is stored yet, there is no secret either. */
async function withoutGateway(config: Config, { env }: Terminal, commandOf: CommandOf): Promise<Finding[]> {
  const { checkExternal } = await import('../doctor/external.ts')
  return existsSync(config.databasePath) ? [] : checkExternal(config, env, { read: () => undefined }, commandOf)
}

/** Opens the gateway; only for a database that is current already, as a check must neither create nor migrate one. */
async function examineGateway(
  config: Config,
  { secrets, commandOf, env }: Around,
): Promise<{ findings: Finding[]; dead: ReadonlySet<string> }> {
  const { isLiveSecret } = await import('../client-token.ts')
  const { checkContext } = await import('../doctor/context.ts')
  const { checkExternal } = await import('../doctor/external.ts')
  const { checkOperator, checkSecrets } = await import('../doctor/key.ts')
  const { checkServers, checkTokens } = await import('../doctor/surroundings.ts')
  return await withGateway(config, async (gateway) => {
    const dead = new Set(secrets.filter((secret) => !isLiveSecret(gateway.tokens, secret)))
    return {
      findings: [
        ...checkServers(gateway),
        checkTokens(gateway, commandOf),
        checkSecrets(gateway),
        checkOperator(gateway),
        checkContext(gateway, commandOf),
        ...checkExternal(config, env, gateway.secrets, commandOf),
      ],
      dead,
    }
  })
}
