// One AI client and the servers it is to be connected to.
import { homedir } from 'node:os'
import type { Connection } from '../clients/entry.ts'
import type { Machine } from '../clients/locate.ts'
import type { AiClient, Transport } from '../clients/table.ts'
import { type Carried, carriedSettings, type Config } from '../config.ts'
import { placeHeaders } from '../mcp/place-headers.ts'
import { CORE } from '../runtime/core/core.ts'
import { ROUTER } from '../runtime/router/router.ts'
import { servers } from '../servers/index.ts'
import { crowCommand, localUrl, type Mounted, primaryServer } from './connection.ts'
import { UsageError } from './options.ts'
import type { Terminal } from './terminal.ts'
import { unknownServer } from './unknown-server.ts'

/** One entry of the client's file. */
export interface LinkedServer {
  readonly server: Mounted
  readonly connection: Connection
}

export interface Link {
  readonly client: AiClient
  readonly config: Config
  readonly transport: Transport
  readonly entries: readonly LinkedServer[]
  readonly carried: Carried
}

export interface LinkOptions {
  readonly server?: string | undefined
  readonly combined?: boolean | undefined
  readonly name?: string | undefined
  readonly token?: string | undefined
  readonly transport?: string | undefined
  readonly project?: number | undefined
}

const mounted = (id: string): Mounted => ({ id, mount: `/${id}`, aliases: [] })

/** @throws UsageError for what does not fit together */
export function linkOf(terminal: Terminal, client: AiClient, config: Config, given: LinkOptions): Link {
  const chosen = chosenServers(config, given)
  const isStdioOnly = chosen.some(({ id }) => id === CORE)
  if (isStdioOnly && given.transport === 'http') throw new UsageError(`${CORE} is served over stdio only`)
  if (given.name !== undefined && chosen.length > 1)
    throw new UsageError('--name is for one entry: name its server with --server, or take --combined')
  const carried = carriedSettings(config, terminal.env, { projectId: given.project })
  const transport = given.transport === 'http' || given.transport === 'stdio' ? given.transport : client.prefers
  return {
    client,
    config,
    transport: isStdioOnly ? 'stdio' : transport,
    entries: chosen.map((server) => ({
      server,
      connection: { ...connectionOf(terminal, config, server, given), env: carried.env, headers: headersOf(config) },
    })),
    carried,
  }
}

/** One entry for each server, unless one is named. */
function chosenServers(config: Config, { server: id, combined }: LinkOptions): readonly Mounted[] {
  if (combined === true && id !== undefined && id !== CORE)
    throw new UsageError('--combined is a server of its own: leave out --server')
  if (combined === true) return [mounted(CORE)]
  if (id === undefined) return servers
  const known = [...servers, ...(config.router ? [mounted(ROUTER)] : []), mounted(CORE)]
  const server = known.find((each) => each.id === id)
  if (server !== undefined) return [server]
  throw unknownServer(
    id,
    known.map((each) => each.id),
  )
}

function connectionOf(terminal: Terminal, config: Config, server: Mounted, given: LinkOptions): Connection {
  const name = given.name ?? (server.id === primaryServer(servers)?.id ? 'crow' : `crow-${server.id}`)
  if (!/^[\w.-]{1,64}$/.test(name)) throw new UsageError('--name takes letters, digits, dots, hyphens and underscores')
  return {
    name,
    url: localUrl(config, config.port, server),
    token: given.token,
    command: crowCommand(terminal, config, 'stdio', server.id),
  }
}

/** Where the client works, if this installation knows. */
const headersOf = ({ deviceId, projectId }: Config): Readonly<Record<string, string>> =>
  placeHeaders({ ...(deviceId === null ? {} : { deviceId }), ...(projectId === null ? {} : { projectId }) })

/** What the entry cannot carry; nothing where it carries all. */
export function secretsHint({ transport, carried: { secrets } }: Link): string | undefined {
  if (transport !== 'stdio' || secrets.length === 0) return undefined
  return `${secrets.join(' and ')} ${secrets.length === 1 ? 'is a secret' : 'are secrets'} and not in the entry: the client has to have ${secrets.length === 1 ? 'it' : 'them'} in its environment.`
}

export function machineOf(terminal: Terminal): Machine {
  return { platform: process.platform, home: terminal.env['HOME'] ?? homedir(), cwd: process.cwd(), env: terminal.env }
}
