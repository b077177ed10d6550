// `crow mcp-config`: the configuration that connects one AI client, printed or merged into the client's own file.
import { entryFor } from '../../clients/entry.ts'
import { clientFile, isProjectFile } from '../../clients/locate.ts'
import { connectAllSnippet } from '../../clients/snippet.ts'
import { type AiClient, aiClients } from '../../clients/table.ts'
import { nearest } from '../../lib/nearest.ts'
import { type Link, linkOf, machineOf, secretsHint } from '../client-link.ts'
import { tokenHint, undoWrite, writeEntries } from '../client-write.ts'
import { defineCommand, gatewayPort, projectOption, sharedOptions } from '../command.ts'
import { type ExitCode, exitCodes } from '../exit-codes.ts'
import { type Option, UsageError } from '../options.ts'
import { reachableConfig } from '../running.ts'
import { configOf } from '../setup.ts'
import { tableOf } from '../table.ts'
import type { Terminal } from '../terminal.ts'

const options = {
  ...sharedOptions,
  ...gatewayPort,
  ...projectOption,
  client: { type: 'text', value: 'CLIENT', help: 'the client, instead of its name behind the command' },
  combined: { type: 'flag', help: 'one entry for `crow stdio core`, which shows the tools of servers when needed' },
  server: {
    type: 'text',
    value: 'ID',
    help: 'one server, or router for all through one; otherwise one entry for each',
  },
  write: { type: 'flag', help: "merge into the client's file; the rest of it stays, and a backup lies beside it" },
  undo: { type: 'flag', help: 'put back what was in the file before the last --write' },
  file: { type: 'text', value: 'PATH', help: "another file than the client's usual one" },
  transport: {
    type: 'text',
    value: 'http|stdio',
    choices: ['http', 'stdio'],
    help: 'http, or stdio: the client starts the process itself',
  },
  name: { type: 'text', value: 'NAME', help: 'name of the entry (crow, or crow-ID for a server other than memory)' },
  force: { type: 'flag', help: 'replace an entry of that name that leads elsewhere, or undo over later changes' },
  token: {
    type: 'text',
    value: 'TOKEN',
    help: 'local token for http; --write makes one when the client needs it in the file',
  },
} as const satisfies Record<string, Option>

export const mcpConfig = defineCommand({
  name: 'mcp-config',
  usage: '[CLIENT] [--combined] [--write]',
  summary: 'print or write the configuration that connects an AI client',
  positionals: [0, 1],
  options,
  notes: [`Clients: ${aiClients.map(({ id }) => id).join(', ')}.`],
  async run(terminal, { options: given, positionals: [placed] }) {
    if (placed !== undefined && given.client !== undefined && placed !== given.client)
      throw new UsageError('the client is named twice: leave out --client')
    if (given.write === true && given.undo === true) throw new UsageError('--write and --undo contradict each other')
    const id = placed ?? given.client
    if (id === undefined) {
      const needing = given.write === true ? '--write' : given.undo === true ? '--undo' : undefined
      if (needing !== undefined) throw new UsageError(`${needing} needs the client: mcp-config CLIENT ${needing}`)
      return listClients(terminal, given.json === true)
    }
    const client = findClient(id)
    if (given.undo === true) return await undoWrite(terminal, client, given)
    const config = await reachableConfig(configOf(terminal, given), given.port)
    const link = linkOf(terminal, client, config, given)
    return given.write === true ? await writeEntries(terminal, link, given) : print(terminal, link, given.json === true)
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

/** As JSON one line for each entry. */
function print(terminal: Terminal, link: Link, asJson: boolean): ExitCode {
  const { client, config, entries, transport } = link
  const file = clientFile(client, machineOf(terminal))
  const connections = entries.map(({ connection }) => connection)
  if (asJson) {
    for (const connection of connections) {
      const entry = entryFor(client, connection, transport)
      terminal.out(JSON.stringify({ client: client.id, file, key: client.key, name: connection.name, ...entry }))
    }
    return exitCodes.ok
  }
  const snippet = connectAllSnippet(client, connections, transport)
  terminal.out(snippet)
  if (!snippet.startsWith('{')) terminal.err('Run this in a shell; --write makes an entry in a file instead.')
  else if (file !== undefined) {
    const where = isProjectFile(client) ? `${file}, in the folder you stand in` : file
    terminal.err(`This belongs into ${where}; --write puts it there.`)
  }
  if (transport === 'http' && connections.some(({ token }) => token === undefined))
    terminal.err(tokenHint(terminal, config))
  const missing = secretsHint(link)
  if (missing !== undefined) terminal.err(missing)
  terminal.err(client.afterwards)
  return exitCodes.ok
}
