// `crow clients`: the AI clients that the owner let in, for whoever has the terminal.
import { text } from 'node:stream/consumers'
import type { Authorization, Authorizations } from '../../oauth/authorizations.ts'
import { inert } from '../../pages/inert.ts'
import { defineCommand, sharedOptions } from '../command.ts'
import { exitCodes } from '../exit-codes.ts'
import { UsageError } from '../options.ts'
import { configOf, withGateway, type PlaceOptions } from '../setup.ts'
import { tableOf } from '../table.ts'
import type { Terminal } from '../terminal.ts'

export const clientsList = defineCommand({
  name: 'clients list',
  usage: '[--json]',
  summary: 'list the AI clients that are let in',
  options: sharedOptions,
  async run(terminal, { options }) {
    const rows = await withAuthorizations(terminal, options, async (authorizations) => authorizations.list().map(rowOf))
    if (options.json === true) terminal.out(JSON.stringify(rows))
    else if (rows.length === 0) terminal.out('No client is connected.')
    else {
      const lines = tableOf(
        ['id', 'client', 'comes from', 'server', 'scopes', 'since', 'last used'],
        rows.map((row) => [
          row.id,
          row.client,
          row.redirectHost,
          row.server ?? 'all',
          row.scopes.join(' '),
          row.createdAt,
          row.lastUsedAt,
        ]),
      )
      for (const line of lines) terminal.out(line)
    }
    return exitCodes.ok
  },
})

export const clientsAdd = defineCommand({
  name: 'clients add',
  usage: 'NAME --redirect URI... [--id ID] [--secret make|stdin] [--json]',
  summary: 'make an AI client by hand, where it cannot register itself',
  positionals: [1, 1],
  options: {
    ...sharedOptions,
    redirect: { type: 'list', value: 'URI', help: 'where its answers go, exactly as it names it; at least one' },
    id: { type: 'text', value: 'ID', help: 'its client id; made up when absent' },
    secret: {
      type: 'text',
      value: 'WHICH',
      help: 'make: a new one, shown once; stdin: the one there; none when absent',
    },
  },
  notes: ['Nobody is let in by this: the owner is asked for consent, as with any client.'],
  async run(terminal, { options, positionals: [name = ''] }) {
    const { redirect, id, secret: which } = options
    if (redirect === undefined) throw new UsageError('name where its answers go, with --redirect')
    if (which !== undefined && which !== 'make' && which !== 'stdin')
      throw new UsageError(`--secret is make or stdin, not ${JSON.stringify(which)}`)
    const { makeClient } = await import('../../oauth/clients.ts')
    const isMade = which === 'make'
    const secret = which === 'stdin' ? await firstLine(terminal) : isMade || undefined
    const made = await withGateway(configOf(terminal, options), async ({ audit, clock, database }) => {
      const client = await makeClient(database, clock, {
        name,
        redirectUris: redirect,
        ...(id === undefined ? {} : { id }),
        ...(secret === undefined ? {} : { secret }),
      })
      const subject = `client:${client.id}`
      audit.access({ event: 'client_register', outcome: 'ok', caller: 'cli', callerKind: 'cli', client: name, subject })
      return client
    })
    const shown = isMade ? made.secret : undefined
    if (options.json === true) terminal.out(JSON.stringify({ id: made.id, secret: shown }))
    else {
      terminal.out(`id ${made.id}`)
      if (shown !== undefined) terminal.out(`secret ${shown}`)
      if (shown !== undefined) terminal.err('This is the only time its secret is shown.')
    }
    return exitCodes.ok
  },
})

async function firstLine({ stdin }: Terminal): Promise<string> {
  const [line = ''] = (await text(stdin)).split(/\r?\n/, 1)
  if (line === '') throw new UsageError('there is no secret on stdin')
  return line
}

export const clientsRevoke = defineCommand({
  name: 'clients revoke',
  usage: '[NUMBER] [--all] [--json]',
  summary: 'disconnect one AI client, or all of them',
  positionals: [0, 1],
  options: { ...sharedOptions, all: { type: 'flag', help: 'every client' } },
  notes: ['It has to ask the owner again. Running gateways follow within a second.'],
  async run(terminal, { options, positionals: [typed] }) {
    const isAll = options.all === true
    if (isAll === (typed !== undefined))
      throw new UsageError('name one client by its number, which `crow clients list` shows, or --all')
    if (typed !== undefined && !/^\d{1,15}$/.test(typed))
      throw new UsageError(`a connected client has a number, not ${JSON.stringify(typed)}`)
    const revoked = await withAuthorizations(terminal, options, async (authorizations) => {
      if (isAll) return await authorizations.revokeAll()
      await authorizations.revoke(Number(typed))
      return 1
    })
    if (options.json === true) terminal.out(JSON.stringify({ revoked }))
    else terminal.out(revoked === 1 ? '1 client is disconnected.' : `${revoked} clients are disconnected.`)
    return exitCodes.ok
  },
})

async function withAuthorizations<T>(
  terminal: Terminal,
  options: PlaceOptions,
  work: (authorizations: Authorizations) => Promise<T>,
): Promise<T> {
  const { auditedAuthorizations } = await import('../../oauth/audited.ts')
  const { createAuthorizations } = await import('../../oauth/authorizations.ts')
  return await withGateway(configOf(terminal, options), async ({ audit, clock, database }) => {
    // Nothing is cached in a command; running gateways notice the commit.
    const authorizations = createAuthorizations(database, clock, () => undefined)
    return await work(auditedAuthorizations(authorizations, audit, 'cli'))
  })
}

function rowOf({ id, clientId, clientName, redirectHost, server, scopes, createdAt, lastUsedAt }: Authorization) {
  return {
    id,
    client: inert(clientName),
    clientId,
    redirectHost: inert(redirectHost, 253),
    server,
    scopes,
    createdAt: new Date(createdAt).toISOString(),
    lastUsedAt: lastUsedAt === null ? null : new Date(lastUsedAt).toISOString(),
  }
}
