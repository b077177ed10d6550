// `crow mcp-config`: the configuration that connects one AI client, printed or merged into the client's own file.
import { homedir } from 'node:os'
import { isOpenToOthers, readClientFile, tryClientFile, writeClientFile } from '../../clients/config-file.ts'
import { type Connection, entryFor, TOKEN_VARIABLE } from '../../clients/entry.ts'
import { clientFile } from '../../clients/locate.ts'
import { findEntry, mergeEntry } from '../../clients/merge.ts'
import { connectSnippet } from '../../clients/snippet.ts'
import { type AiClient, aiClients, type Transport } from '../../clients/table.ts'
import type { Config } from '../../config.ts'
import { GatewayError } from '../../errors.ts'
import { nearest } from '../../lib/nearest.ts'
import type { ServerDefinition } from '../../runtime/server.ts'
import { servers } from '../../servers/index.ts'
import { keepOrMakeToken, secretIn } from '../client-token.ts'
import { defineCommand, gatewayPort, sharedOptions } from '../command.ts'
import { crowCommand, localUrl, primaryServer } from '../connection.ts'
import { type ExitCode, exitCodes } from '../exit-codes.ts'
import { shellLine } from '../launch.ts'
import { type Option, UsageError, type Values } from '../options.ts'
import { reachableConfig } from '../running.ts'
import { absolutePath, configOf } from '../setup.ts'
import { tableOf } from '../table.ts'
import { unknownServer } from '../unknown-server.ts'
import type { Terminal } from '../terminal.ts'

const options = {
  ...sharedOptions,
  ...gatewayPort,
  write: { type: 'flag', help: "merge the entry into the client's file; everything else in it stays" },
  file: { type: 'text', value: 'PATH', help: "another file than the client's usual one" },
  transport: {
    type: 'text',
    value: 'http|stdio',
    choices: ['http', 'stdio'],
    help: 'http, or stdio: the client starts the process itself',
  },
  server: { type: 'text', value: 'ID', help: 'server to connect' },
  name: { type: 'text', value: 'NAME', help: 'name of the entry (crow)' },
  token: {
    type: 'text',
    value: 'TOKEN',
    help: 'local token for http; --write makes one when the client needs it in the file',
  },
} as const satisfies Record<string, Option>

export const mcpConfig = defineCommand({
  name: 'mcp-config',
  usage: '[CLIENT] [--write]',
  summary: 'print or write the configuration that connects an AI client',
  positionals: [0, 1],
  options,
  notes: [`Clients: ${aiClients.map(({ id }) => id).join(', ')}.`],
  async run(terminal, { options: given, positionals: [id] }) {
    if (id === undefined && given.write === true)
      throw new UsageError('--write needs the client: mcp-config CLIENT --write')
    if (id === undefined) return listClients(terminal, given.json === true)
    const client = findClient(id)
    const server = serverOf(given.server)
    const config = await reachableConfig(configOf(terminal, given), given.port)
    const transport = given.transport === 'http' || given.transport === 'stdio' ? given.transport : client.prefers
    const connection = connectionOf(terminal, config, server, given)
    const link = { client, config, connection, transport }
    return given.write === true ? await write(terminal, link, given) : print(terminal, link, given.json === true)
  },
})

function listClients(terminal: Terminal, asJson: boolean): ExitCode {
  const rows = aiClients.map((client) => ({ ...client, path: clientFile(client, machineOf(terminal)) }))
  if (asJson) terminal.out(JSON.stringify(rows.map(({ id, title, prefers, path }) => ({ id, title, prefers, path }))))
  else {
    for (const line of tableOf(
      ['client', 'name', 'speaks', 'file'],
      rows.map((row) => [row.id, row.title, row.prefers, row.path]),
    ))
      terminal.out(line)
  }
  return exitCodes.ok
}

function findClient(id: string): AiClient {
  const client = aiClients.find((known) => known.id === id)
  if (client !== undefined) return client
  const ids = aiClients.map((known) => known.id)
  const near = nearest(id, ids)
  throw new UsageError(
    `there is no client ${JSON.stringify(id)}; ${near === undefined ? `there is ${ids.join(', ')}` : `did you mean ${near}?`}`,
  )
}

function serverOf(id: string | undefined): ServerDefinition {
  const server = id === undefined ? primaryServer(servers) : servers.find((known) => known.id === id)
  if (server !== undefined) return server
  throw unknownServer(
    id ?? '',
    servers.map((known) => known.id),
  )
}

function connectionOf(
  terminal: Terminal,
  config: Config,
  server: ServerDefinition,
  given: Values<typeof options>,
): Connection {
  const name = given.name ?? 'crow'
  if (!/^[\w.-]{1,64}$/.test(name)) throw new UsageError('--name takes letters, digits, dots, hyphens and underscores')
  return {
    name,
    url: localUrl(config, config.port, server),
    token: given.token,
    command: crowCommand(terminal, config, 'stdio', server.id),
  }
}

/** One client, and how it is to be connected. */
interface Link {
  readonly client: AiClient
  readonly config: Config
  readonly connection: Connection
  readonly transport: Transport
}

function print(terminal: Terminal, { client, config, connection, transport }: Link, asJson: boolean): ExitCode {
  if (asJson) {
    const entry = entryFor(client, connection, transport)
    terminal.out(
      JSON.stringify({
        client: client.id,
        file: clientFile(client, machineOf(terminal)),
        key: client.key,
        name: connection.name,
        ...entry,
      }),
    )
    return exitCodes.ok
  }
  const snippet = connectSnippet(client, connection, transport)
  const file = clientFile(client, machineOf(terminal))
  terminal.out(snippet)
  if (!snippet.startsWith('{')) terminal.err('Run this in a shell; --write makes an entry in a file instead.')
  else if (file !== undefined) terminal.err(`This belongs into ${file}; --write puts it there.`)
  if (transport === 'http' && connection.token === undefined) terminal.err(tokenHint(terminal, config))
  terminal.err(client.afterwards)
  return exitCodes.ok
}

async function write(terminal: Terminal, link: Link, given: Values<typeof options>): Promise<ExitCode> {
  const { client, config, connection, transport } = link
  const file = given.file === undefined ? clientFile(client, machineOf(terminal)) : absolutePath(given.file)
  if (file === undefined)
    throw new UsageError(`${client.title} does not exist on this system; name its file with --file`)
  const present = await readFileOf(file)
  const textWith = (token: string | undefined): string =>
    mergeEntry(present, client, connection.name, entryFor(client, { ...connection, token }, transport))
  const isOurs = connection.token === undefined && transport === 'http' && client.http?.secret === 'file'
  const token = isOurs
    ? await keepOrMakeToken(terminal, config, {
        name: client.id,
        kept: secretIn(findEntry(present, client, connection.name)),
        // A secret that cannot be put down must not be made: it would end the one that works.
        ready: async () => await orUnwritable(file, tryClientFile(file, textWith(connection.token))),
      })
    : connection.token
  const text = textWith(token)
  const holdsToken = token !== undefined && transport === 'http' && client.http?.secret === 'file'
  const isLoose = holdsToken && (await isOpenToOthers(file))
  if (text !== present || isLoose) await orUnwritable(file, writeClientFile(file, text, holdsToken))
  if (isLoose) terminal.err(`Other users could read ${file}; as it holds a token, it is yours only now (mode 600).`)
  if (given.json === true)
    terminal.out(JSON.stringify({ client: client.id, file, name: connection.name, changed: text !== present }))
  else
    terminal.out(text === present ? `${file} has this entry already.` : `${connection.name} is written into ${file}.`)
  const secret = client.http?.secret
  if (transport === 'http' && secret === 'prompt') terminal.err(tokenHint(terminal, config))
  if (transport === 'http' && secret === 'environment')
    terminal.err(`Put the token into the variable ${TOKEN_VARIABLE}. ${tokenHint(terminal, config)}`)
  terminal.err(client.afterwards)
  return exitCodes.ok
}

function tokenHint(terminal: Terminal, config: Config): string {
  return `A token is made, and shown once, by: ${shellLine(crowCommand(terminal, config, 'token', 'create'))}`
}

function machineOf(terminal: Terminal) {
  return { platform: process.platform, home: terminal.env['HOME'] ?? homedir(), cwd: process.cwd(), env: terminal.env }
}

async function readFileOf(file: string): Promise<string | undefined> {
  try {
    return await readClientFile(file)
  } catch (error) {
    throw new GatewayError('unavailable', 'CLIENT_CONFIG_UNREADABLE', `${file} cannot be read (${reasonOf(error)})`, {
      cause: error,
    })
  }
}

async function orUnwritable(file: string, writing: Promise<void>): Promise<void> {
  try {
    await writing
  } catch (error) {
    throw new GatewayError(
      'unavailable',
      'CLIENT_CONFIG_UNWRITABLE',
      `${file} cannot be written (${reasonOf(error)})`,
      { cause: error },
    )
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error)
}
