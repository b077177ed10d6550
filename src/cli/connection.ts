// How clients on this machine reach the gateway: addresses of the mounts, and the command line for those that start a process.
import { join } from 'node:path'
import { type Config, loadConfig } from '../config.ts'
import { launchCommand, projectRoot } from './launch.ts'
import type { Terminal } from './terminal.ts'

/** What a server says about where it is mounted. */
export interface Mounted {
  readonly id: string
  readonly mount: string
  readonly aliases: readonly string[]
}

/** Paths of a server's endpoints below the public path, its own mount first. */
export function mountPaths({ mount, aliases }: Mounted, basePath = ''): string[] {
  return [mount, ...aliases].map((path) => `${basePath}${path === '/' ? '' : path}/mcp`)
}

/** Address of one server for clients on this machine. */
export function localUrl(config: Config, port: number, server: Mounted): string {
  const [path = ''] = mountPaths(server, config.basePath)
  return localAddress(config.host, port) + path
}

/** The server that a client gets when nobody names one: the one mounted at the root. */
export function primaryServer<S extends Mounted>(servers: readonly S[]): S | undefined {
  return servers.find(({ aliases }) => aliases.includes('/')) ?? servers[0]
}

/** Address for clients on this machine; a wildcard bind is reached over loopback. */
export function localAddress(host: string, port: number): string {
  const reachable = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`
}

/** Absolute command line of `crow stdio` for a client; names the data folder only when it is not where it would look anyway. */
export function stdioCommand(terminal: Terminal, config: Config, serverId: string): [string, ...string[]] {
  const usual = loadConfig({ HOME: terminal.env['HOME'], USERPROFILE: terminal.env['USERPROFILE'] }).dataDir
  const place = config.dataDir === usual ? [] : ['--data-dir', config.dataDir]
  return launchCommand(projectRoot(), process.execPath, ['stdio', serverId, ...place])
}

/** The absolute `crow` for sentences that tell a person what to run. */
export function crowCommand(): string[] {
  return launchCommand(projectRoot(), process.execPath, [])
}

/** Where the capability lock of this checkout lies. */
export function lockPath(): string {
  return join(projectRoot(), 'crow.lock.json')
}
