// Puts the entries of a client into its file, and takes them back. Entries that somebody else put there are left alone, and what
// was in the file is kept beside it.
import { existsSync } from 'node:fs'
import { keepBackup, undoChange } from '../clients/backup.ts'
import { changeClientFile, isOpenToOthers, readClientFile, tryClientFile } from '../clients/config-file.ts'
import { commandFor, entryFor, TOKEN_VARIABLE } from '../clients/entry.ts'
import { clientFile, isProjectFile } from '../clients/locate.ts'
import { findEntry, mergeEntry } from '../clients/merge.ts'
import type { AiClient } from '../clients/table.ts'
import type { Config } from '../config.ts'
import { GatewayError } from '../errors.ts'
import { CORE } from '../runtime/core/core.ts'
import { type Link, type LinkedServer, machineOf, secretsHint } from './client-link.ts'
import { keepOrMakeToken, secretIn, tokenNameOf } from './client-token.ts'
import { localAddress } from '../lib/address.ts'
import { crowCommand, mountPaths } from './connection.ts'
import { isSameLead, type Lead, leadOf, wordsFor } from './entry-lead.ts'
import { type ExitCode, exitCodes } from './exit-codes.ts'
import { shellLine } from './launch.ts'
import { UsageError } from './options.ts'
import { absolutePath } from './setup.ts'
import type { Terminal } from './terminal.ts'

export interface WriteOptions {
  /** Another file than the client's usual one. */
  readonly file?: string | undefined
  readonly force?: boolean | undefined
  readonly json?: boolean | undefined
}

/** What stands for the token in each entry, by its name. */
type Secrets = ReadonlyMap<string, string | undefined>

export async function writeEntries(terminal: Terminal, link: Link, given: WriteOptions): Promise<ExitCode> {
  const { client, config, entries, transport } = link
  const isUsual = given.file === undefined
  const file = fileOf(terminal, client, given)
  const editWith = (secrets: Secrets) => (text: string | undefined) => edited(link, file, text, secrets, given)
  const present = await readFileOf(file)
  const trial = editWith(new Map(entries.map(({ connection }) => [connection.name, connection.token])))(present)
  const isOurs = transport === 'http' && client.http?.secret === 'file'
  const isReady = async ({ connection }: LinkedServer, kept: string | undefined): Promise<void> => {
    if (given.force !== true) refuseUnknownSecret(connection.name, file, kept)
    // A secret that cannot be put down must not be made.
    await orUnwritable(file, tryClientFile(file, trial))
  }
  const keptOf = ({ connection }: LinkedServer) => secretIn(findEntry(present, client, connection.name))
  const wanting = isOurs ? entries.filter(({ connection }) => connection.token === undefined) : []
  if (!existsSync(config.databasePath)) for (const entry of wanting) await isReady(entry, keptOf(entry))
  const secrets = new Map<string, string | undefined>()
  for (const entry of entries) {
    const { name, token } = entry.connection
    const kept = keptOf(entry)
    const place = { name: tokenNameOf(client.id, name, isUsual ? undefined : file), kept }
    const isWanted = wanting.includes(entry)
    const ready = async (): Promise<void> => await isReady(entry, kept)
    secrets.set(name, isWanted ? await keepOrMakeToken(terminal, config, { ...place, ready }) : token)
  }
  const isSecret = isOurs && [...secrets.values()].some((secret) => secret !== undefined)
  const isChanged = await put(terminal, { file, present, edit: editWith(secrets), holdsToken: isSecret })
  sayWritten(terminal, link, file, isChanged, given.json === true)
  sayMore(terminal, link, isUsual)
  return exitCodes.ok
}

/** Takes back what the last `--write` changed. */
export async function undoWrite(terminal: Terminal, client: AiClient, given: WriteOptions): Promise<ExitCode> {
  const file = fileOf(terminal, client, given)
  const undone = await orUnwritable(file, undoChange(file, given.force === true))
  if (undone.kind === 'none')
    throw new GatewayError('missing', 'CLIENT_BACKUP_MISSING', `nothing was written into ${file} that could be undone`)
  if (undone.kind === 'changed')
    throw new GatewayError('conflict', 'CLIENT_CONFIG_CHANGED', `${file} is left alone: it was changed since`, {
      hint: `--force puts ${undone.backup} in its place.`,
    })
  if (given.json === true) terminal.out(JSON.stringify({ client: client.id, file, undone: true }))
  else terminal.out(undone.after === undefined ? `${file} is removed again.` : `${file} is as it was before.`)
  const lost = (undone.before?.match(/crow_local_[\w-]+/g) ?? []).some(
    (secret) => undone.after?.includes(secret) !== true,
  )
  if (lost) terminal.err('The token that was in it is still live; crow token list shows it, crow token revoke ends it.')
  terminal.err(client.afterwards)
  return exitCodes.ok
}

function fileOf(terminal: Terminal, client: AiClient, given: WriteOptions): string {
  const file = given.file === undefined ? clientFile(client, machineOf(terminal)) : absolutePath(given.file)
  if (file !== undefined) return file
  throw new UsageError(`${client.title} does not exist on this system; name its file with --file`)
}

/** The text with every entry in it. @throws GatewayError where one of them is somebody else's */
function edited(link: Link, file: string, text: string | undefined, secrets: Secrets, given: WriteOptions): string {
  const { client, entries, transport } = link
  return (
    entries.reduce((before, entry) => {
      const { connection } = entry
      if (given.force !== true) refuseTaken(link, entry, file, findEntry(before, client, connection.name))
      const token = secrets.get(connection.name)
      return mergeEntry(before, client, connection.name, entryFor(client, { ...connection, token }, transport))
    }, text) ?? ''
  )
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
    const changed = edit(text)
    isChanged = changed !== text
    return changed
  }
  await orUnwritable(file, changeClientFile(file, change, isSecret, keepBackup))
  if (isLoose) terminal.err(`Other users could read ${file}; as it holds a token, it is yours only now (mode 600).`)
  return isChanged
}

function sayWritten(terminal: Terminal, link: Link, file: string, isChanged: boolean, asJson: boolean): void {
  const { client, entries } = link
  const names = entries.map(({ connection }) => connection.name)
  if (asJson) {
    for (const name of names) terminal.out(JSON.stringify({ client: client.id, file, name, changed: isChanged }))
    return
  }
  const isOne = names.length === 1
  if (!isChanged) terminal.out(`${file} has ${isOne ? 'this entry' : 'these entries'} already.`)
  else terminal.out(`${names.join(', ')} ${isOne ? 'is' : 'are'} written into ${file}.`)
}

/** What the person still has to do. */
function sayMore(terminal: Terminal, link: Link, isUsualFile: boolean): void {
  const { client, config, transport, entries } = link
  const missing = secretsHint(link)
  if (missing !== undefined) terminal.err(missing)
  const secret = client.http?.secret
  if (isUsualFile && isProjectFile(client)) {
    const commands = transport === 'http' ? entries.map(({ connection }) => commandFor(client, connection)) : []
    const everywhere = commands.filter((command) => command !== undefined).join(' && ')
    terminal.err(
      `That file is in the folder you stand in, and counts for the project there only.${everywhere === '' ? '' : ` For every project: ${everywhere}`}`,
    )
  }
  if (transport === 'http' && secret === 'prompt') terminal.err(tokenHint(terminal, config))
  if (transport === 'http' && secret === 'environment')
    terminal.err(`Put the token into the variable ${TOKEN_VARIABLE}. ${tokenHint(terminal, config)}`)
  terminal.err(client.afterwards)
}

export function tokenHint(terminal: Terminal, config: Config): string {
  return `A token is made, and shown once, by: ${shellLine(crowCommand(terminal, config, 'token', 'create'))}`
}

/** An entry that leads elsewhere was put there by somebody who may still need it. */
function refuseTaken(
  { config, client }: Link,
  { connection, server }: LinkedServer,
  file: string,
  present: unknown,
): void {
  if (present === undefined) return
  const lead = leadOf(present)
  const paths = server.id === CORE ? [] : mountPaths(server)
  const urls = paths.map((path) => localAddress(config.host, config.port) + path)
  const [command, ...args] = connection.command
  const ours: Lead[] = [...urls.map((url) => leadOf({ url })), leadOf({ command, args })]
  if (!ours.some((one) => isSameLead(one, lead)))
    throw taken(file, connection.name, `the entry ${connection.name} of ${client.title} leads to ${wordsFor(lead)}`)
}

/** Another gateway at the same address, on another data folder, knows a token that this one does not. */
function refuseUnknownSecret(name: string, file: string, kept: string | undefined): void {
  if (kept?.startsWith('crow_local_') === true)
    throw taken(file, name, `the entry ${name} sends a token that does not open this data folder`)
}

function taken(file: string, name: string, why: string): GatewayError {
  return new GatewayError('conflict', 'CLIENT_ENTRY_TAKEN', `${file} is left alone: ${why}`, {
    hint: `--force replaces it, --name ${name}-2 makes another entry beside it.`,
  })
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

async function orUnwritable<Done>(file: string, writing: Promise<Done>): Promise<Done> {
  try {
    return await writing
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
