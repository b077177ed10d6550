// `crow serve --print-config`: every setting with the value that holds and where it comes from. Starts nothing.
import { type Config, type ConfigOverrides, explainConfig, loadConfig } from '../config.ts'
import { ConfigError } from '../errors.ts'
import { type ExitCode, exitCodes } from './exit-codes.ts'
import { tableOf } from './table.ts'
import type { Terminal } from './terminal.ts'

/** @throws ConfigError after the settings were printed, where some of them are wrong */
export function printConfig(terminal: Terminal, overrides: ConfigOverrides, asJson: boolean): ExitCode {
  const { config, fault } = tryConfig(terminal, overrides)
  const computed = computedOf(config)
  const lines = explainConfig(terminal.env, overrides).map((line) =>
    line.from === 'default' ? { ...line, value: defaultOf(line, computed) } : line,
  )
  if (asJson) terminal.out(JSON.stringify(lines))
  else {
    const rows = lines.map(({ name, value, from }) => [name, value ?? 'unset', from])
    for (const line of tableOf(['setting', 'value', 'from'], rows)) terminal.out(line)
  }
  if (fault !== undefined) throw fault
  return exitCodes.ok
}

function tryConfig(terminal: Terminal, overrides: ConfigOverrides): { config?: Config; fault?: ConfigError } {
  try {
    return { config: loadConfig(terminal.env, overrides) }
  } catch (error) {
    if (error instanceof ConfigError) return { fault: error }
    throw error
  }
}

/** Defaults that the table of settings can only describe, as they come from the machine or from other settings. */
function computedOf(config: Config | undefined): ReadonlyMap<string, string | null> {
  return new Map([
    ['CROW_DATA_DIR', config?.dataDir ?? null],
    ['CROW_DB_PATH', config?.databasePath ?? null],
    ['PORT', config === undefined ? null : String(config.port)],
    ['CROW_TZ', config?.timeZone ?? null],
    ['CROW_KEY', null],
    ['CROW_EMBED_URL', config?.embeddings?.url ?? null],
  ])
}

/** The value that holds where nothing is set; null where nothing does, or where it depends on what is wrong. */
function defaultOf(
  { name, value }: { readonly name: string; readonly value: string },
  computed: ReadonlyMap<string, string | null>,
): string | null {
  const known = computed.get(name)
  if (known !== undefined) return known
  return value.startsWith('unset') ? null : value
}
