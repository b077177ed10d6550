// `crow mcp-config`: the configuration that connects one AI client, printed or merged into the client's own file.
import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { changeClientFile, isOpenToOthers, readClientFile, tryClientFile } from '../../clients/config-file.ts'
import { commandFor, type Connection, entryFor, TOKEN_VARIABLE } from '../../clients/entry.ts'
import { clientFile, isProjectFile } from '../../clients/locate.ts'
import { findEntry, mergeEntry } from '../../clients/merge.ts'
import { connectSnippet } from '../../clients/snippet.ts'
import { type AiClient, aiClients, type Transport } from '../../clients/table.ts'
import type { Config } from '../../config.ts'
import { GatewayError } from '../../errors.ts'
import { nearest } from '../../lib/nearest.ts'
import type { ServerDefinition } from '../../runtime/server.ts'
import { servers } from '../../servers/index.ts'
import { keepOrMakeToken, secretIn, tokenNameOf } from '../client-token.ts'
import { defineCommand, gatewayPort, sharedOptions } from '../command.ts'
import { crowCommand, localAddress, localUrl, mountPaths, primaryServer } from '../connection.ts'
import { isSameLead, type Lead, leadOf, wordsFor } from '../entry-lead.ts'
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
  name: { type: 'text', value: 'NAME', help: 'name of the entry (crow, or crow-ID for a server other than memory)' },
  force: { type: 'flag', help: 'with --write: replace an entry of that name that leads elsewhere' },
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
    const link = { client, config, connection, transport, server }
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
  const name = given.name ?? (server.id === primaryServer(servers)?.id ? 'crow' : `crow-${server.id}`)
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
  readonly server: ServerDefinition
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
  else if (file !== undefined) {
    const where = isProjectFile(client) ? `${file}, in the folder you stand in` : file
    terminal.err(`This belongs into ${where}; --write puts it there.`)
  }
  if (transport === 'http' && connection.token === undefined) terminal.err(tokenHint(terminal, config))
  terminal.err(client.afterwards)
  return exitCodes.ok
}

async function write(terminal: Terminal, link: Link, given: Values<typeof options>): Promise<ExitCode> {
  const { client, config, connection, transport } = link
  const usualFile = clientFile(client, machineOf(terminal))
  const file = given.file === undefined ? usualFile : absolutePath(given.file)
  if (file === undefined)
    throw new UsageError(`${client.title} does not exist on this system; name its file with --file`)
  const isForced = given.force === true
  const editWith = (secret: string | undefined) => (text: string | undefined) => {
    if (!isForced) refuseTaken(link, file, findEntry(text, client, connection.name))
    return mergeEntry(text, client, connection.name, entryFor(client, { ...connection, token: secret }, transport))
  }
  const present = await readFileOf(file)
  const trial = editWith(connection.token)(present)
  const kept = secretIn(findEntry(present, client, connection.name))
  const isOurs = connection.token === undefined && transport === 'http' && client.http?.secret === 'file'
  const ready = async (): Promise<void> => {
    if (!isForced) refuseUnknownSecret(link, file, kept)
    // A secret that cannot be put down must not be made.
    await orUnwritable(file, tryClientFile(file, trial))
  }
  if (isOurs && !existsSync(config.databasePath)) await ready()
  const name = tokenNameOf(client.id, connection.name, file === usualFile ? undefined : file)
  const token = isOurs ? await keepOrMakeToken(terminal, config, { name, kept, ready }) : connection.token
  const isChanged = await put(terminal, { file, present, edit: editWith(token), holdsToken: holdsToken(link, token) })
  if (given.json === true)
    terminal.out(JSON.stringify({ client: client.id, file, name: connection.name, changed: isChanged }))
  else terminal.out(isChanged ? `${connection.name} is written into ${file}.` : `${file} has this entry already.`)
  sayMore(terminal, link, file === usualFile)
  return exitCodes.ok
}

interface Change {
  readonly file: string
  readonly present: string | undefined
  readonly edit: (text: string | undefined) => string
  readonly holdsToken: boolean
}

/** @returns whether the text is another one now */
async function put(terminal: Terminal, { file, present, edit, holdsToken: isSecret }: Change): Promise<boolean> {
  const isLoose = isSecret && (await isOpenToOthers(file))
  if (edit(present) === present && !isLoose) return false
  let isChanged = false
  const change = (text: string | undefined): string => {
    const edited = edit(text)
    isChanged = edited !== text
    return edited
  }
  await orUnwritable(file, changeClientFile(file, change, isSecret))
  if (isLoose) terminal.err(`Other users could read ${file}; as it holds a token, it is yours only now (mode 600).`)
  return isChanged
}

function holdsToken({ client, transport }: Link, token: string | undefined): boolean {
  return token !== undefined && transport === 'http' && client.http?.secret === 'file'
}

/** What the person still has to do. */
function sayMore(terminal: Terminal, { client, config, transport, connection }: Link, isUsualFile: boolean): void {
  const secret = client.http?.secret
  if (isUsualFile && isProjectFile(client)) {
    const everywhere = commandFor(client, connection)
    terminal.err(
      `That file is in the folder you stand in, and counts for the project there only.${everywhere === undefined ? '' : ` For every project: ${everywhere}`}`,
    )
  }
  if (transport === 'http' && secret === 'prompt') terminal.err(tokenHint(terminal, config))
  if (transport === 'http' && secret === 'environment')
    terminal.err(`Put the token into the variable ${TOKEN_VARIABLE}. ${tokenHint(terminal, config)}`)
  terminal.err(client.afterwards)
}

/** An entry that leads elsewhere was put there by somebody who may still need it. */
function refuseTaken({ config, connection, server, client }: Link, file: string, present: unknown): void {
  if (present === undefined) return
  const lead = leadOf(present)
  const urls = mountPaths(server).map((path) => localAddress(config.host, config.port) + path)
  const [command, ...args] = connection.command
  const ours: Lead[] = [...urls.map((url) => leadOf({ url })), leadOf({ command, args })]
  if (!ours.some((one) => isSameLead(one, lead)))
    throw taken(file, connection.name, `the entry ${connection.name} of ${client.title} leads to ${wordsFor(lead)}`)
}

/** Another gateway at the same address, on another data folder, knows a token that this one does not. */
function refuseUnknownSecret({ connection }: Link, file: string, kept: string | undefined): void {
  if (kept?.startsWith('crow_local_') === true)
    throw taken(file, connection.name, `the entry ${connection.name} sends a token that does not open this data folder`)
}

function taken(file: string, name: string, why: string): GatewayError {
  return new GatewayError('conflict', 'CLIENT_ENTRY_TAKEN', `${file} is left alone: ${why}`, {
    hint: `--force replaces it, --name ${name}-2 makes another entry beside it.`,
  })
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

async function orUnwritable(file: string, writing: Promise<unknown>): Promise<void> {
  try {
    await writing
  } catch (error) {
    if (error instanceof GatewayError) throw error
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
