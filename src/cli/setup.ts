// What most commands begin with: the configuration of this command line, and the gateway without its HTTP side.
import { existsSync } from 'node:fs'
import { isAbsolute, resolve } from 'node:path'
import { type Config, loadConfig } from '../config.ts'
import { GatewayError } from '../errors.ts'
import type { Gateway } from '../gateway.ts'
import type { Terminal } from './terminal.ts'

export interface PlaceOptions {
  readonly 'data-dir'?: string | undefined
  readonly port?: number | undefined
  readonly project?: number | undefined
}

/** The configuration of this command line. Throws ConfigError. */
export function configOf(terminal: Terminal, options: PlaceOptions): Config {
  return loadConfig(terminal.env, {
    dataDir: options['data-dir'],
    port: options.port,
    projectId: options.project,
  })
}

/** Throws DATA_MISSING where nothing was ever stored: a command that only reads makes no data folder. */
export function refuseMissing(config: Config): void {
  if (existsSync(config.databasePath)) return
  throw new GatewayError('unavailable', 'DATA_MISSING', `there is no data in ${config.dataDir}`, {
    hint: 'Name the right folder with --data-dir; a first start, or the first thing stored, makes a new one.',
  })
}

/** Opens the gateway for the time of `work`, and closes it however that ends. */
export async function withGateway<T>(config: Config, work: (gateway: Gateway) => Promise<T>): Promise<T> {
  const { openGateway, processLog } = await import('../gateway.ts')
  const log = processLog({ logLevel: 'warn' })
  const gateway = await openGateway(config, { log, longLived: false })
  try {
    return await work(gateway)
  } finally {
    await gateway.close()
  }
}

/** The path as typed, made absolute. */
export function absolutePath(path: string): string {
  return isAbsolute(path) ? path : resolve(path)
}
