// How clients on this machine reach the gateway: addresses of the mounts, and the command line for those that start a process.
import { join } from 'node:path'
import { type Config, loadConfig } from '../config.ts'
import { localAddress } from '../lib/address.ts'
import { launchCommand, projectRoot } from './launch.ts'
import type { Terminal } from './terminal.ts'

/** What a server says about where it is mounted. */
export interface Mounted {
  readonly id: string
  readonly mount: string
  readonly aliases: readonly string[]
}

/** Paths of a server's endpoints, its own mount first. A public path stands before them only for those who come from outside. */
export function mountPaths({ mount, aliases }: Mounted): string[] {
  return [mount, ...aliases].map((path) => `${path === '/' ? '' : path}/mcp`)
}

/** Address of one server for clients on this machine. */
export function localUrl(config: Config, port: number, server: Mounted): string {
  const [path = ''] = mountPaths(server)
  return localAddress(config.host, port) + path
}

/** The server that a client gets when nobody names one: the one mounted at the root. */
export function primaryServer<S extends Mounted>(servers: readonly S[]): S | undefined {
  return servers.find(({ aliases }) => aliases.includes('/')) ?? servers[0]
}

/** The data folder of this user when nothing names another. */
export function usualDataDir(terminal: Terminal): string {
  return loadConfig({ HOME: terminal.env['HOME'], USERPROFILE: terminal.env['USERPROFILE'] }).dataDir
}

/** `--data-dir …` for a command line that is run elsewhere; nothing where it would find the folder anyway. */
function placeArguments(terminal: Terminal, config: Config): string[] {
  return config.dataDir === usualDataDir(terminal) ? [] : ['--data-dir', config.dataDir]
}

/** `--port …` for a command line that has to find this gateway; nothing where it would look there anyway. */
export function portArguments(port: number): string[] {
  return port === loadConfig({}).port ? [] : ['--port', String(port)]
}

/** Absolute command line of `crow …` on this data folder, for other programs to start and for people to copy. */
export function crowCommand(terminal: Terminal, config: Config, ...args: readonly string[]): [string, ...string[]] {
  return launchCommand(projectRoot(), process.execPath, [...args, ...placeArguments(terminal, config)])
}

/** Where the capability lock of this checkout lies. */
export function lockPath(): string {
  return join(projectRoot(), 'crow.lock.json')
}
