// The external servers of one data folder, as a command sees and changes them.
import { existsSync } from 'node:fs'
import { utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { keepBackup } from '../../clients/backup.ts'
import { changeClientFile } from '../../clients/config-file.ts'
import { withMember } from '../../clients/json-edit.ts'
import type { Config } from '../../config.ts'
import type { RawEnvironment } from '../../config/read.ts'
import type { AccessEventName } from '../../db/audit.ts'
import { GatewayError } from '../../errors.ts'
import type { Gateway } from '../../gateway.ts'
import { servers } from '../../servers/index.ts'
import { configuredOf, type Configured, type Owner, startFolder } from '../../upstream/configured.ts'
import {
  entriesOf,
  type Note,
  readServersFile,
  SERVERS_FILE,
  SERVERS_KEY,
  ServersFileError,
} from '../../upstream/servers-file.ts'
import { namesOf } from '../../upstream/source-id.ts'
import { secretName, secretsIn } from '../../upstream/variables.ts'
import type { Terminal } from '../terminal.ts'
import { withGateway } from '../setup.ts'

export interface Place {
  readonly config: Config
  readonly file: string
  readonly owner: Owner
  /** As they stand in the file. */
  readonly entries: ReadonlyMap<string, unknown>
  readonly list: Configured
}

/** Looks at what is configured; makes and changes nothing. A file that cannot be used is among the problems. */
export async function viewServers<T>(
  terminal: Terminal,
  config: Config,
  work: (place: Place) => Promise<T>,
): Promise<T> {
  if (!existsSync(config.databasePath)) return await work(placeOf(terminal.env, config, { read: () => undefined }))
  return await withGateway(config, async ({ secrets }) => await work(placeOf(terminal.env, config, secrets)))
}

/**
 * The same for a command that changes something.
 * @throws GatewayError SERVERS_FILE_UNUSABLE: what cannot be read is not written over
 */
export async function changeServers<T>(
  terminal: Terminal,
  config: Config,
  work: (place: Place, gateway: Gateway) => Promise<T>,
): Promise<T> {
  return await withGateway(config, async (gateway) => {
    const place = placeOf(terminal.env, config, gateway.secrets)
    const broken = place.list.problems.find(({ id }) => id === SERVERS_FILE)
    if (broken !== undefined) throw unusable(broken.message)
    return await work(place, gateway)
  })
}

/** What is configured now. Makes nothing. */
export function placeOf(environment: RawEnvironment, config: Config, secrets: Owner['secrets']): Place {
  const file = join(config.dataDir, SERVERS_FILE)
  const owner: Owner = {
    folder: startFolder(environment, file),
    environment,
    secrets,
    // Fingerprints are for processes that stay; nothing is compared with these.
    key: Buffer.alloc(32),
    ownIds: namesOf(servers),
    self: { ports: () => [config.port], publicUrl: config.publicUrl },
  }
  const { entries, notes, problems } = readOrExplain(file)
  const found = configuredOf(entries, owner)
  const list = { ...found, problems: [...problems, ...found.problems], notes: [...notes, ...found.notes] }
  return { config, file, owner, entries, list }
}

function readOrExplain(file: string): {
  entries: ReadonlyMap<string, unknown>
  notes: readonly Note[]
  problems: readonly Note[]
} {
  try {
    return { ...readServersFile(file), problems: [] }
  } catch (error) {
    if (!(error instanceof ServersFileError)) throw error
    return { entries: new Map(), notes: [], problems: [{ id: SERVERS_FILE, message: error.message }] }
  }
}

/**
 * Writes one entry, or a part of it, and nothing else of the file; what was there is kept beside it.
 * @param path below the id
 * @param value undefined takes it away
 * @throws GatewayError SERVERS_FILE_UNUSABLE
 */
export async function writeEntry({ file }: Place, id: string, path: readonly string[], value: unknown): Promise<void> {
  const edit = (present = ''): string => {
    const text = withMember(present, [SERVERS_KEY, id, ...path], value)
    // Another process may have changed the file since it was read; nothing is written that could not be read again.
    try {
      if (text.trim() !== '') entriesOf(text)
    } catch (error) {
      if (error instanceof ServersFileError) throw unusable(error.message)
      throw error
    }
    return text
  }
  await changeClientFile(file, edit, true, keepBackup)
  // A secret may be another one under the same reference: whoever looks at the file shall look again.
  const now = new Date()
  if (existsSync(file)) await utimes(file, now, now)
}

/** Keeps secrets sealed, by the names that the entry refers to. */
export async function sealSecrets(
  { secrets }: Pick<Gateway, 'secrets'>,
  id: string,
  values: ReadonlyMap<string, string>,
): Promise<void> {
  for (const [name, value] of values) await secrets.write(secretName(id, name), value)
}

/** Takes away what only the entry before referred to. */
export async function dropSecrets(
  { secrets }: Pick<Gateway, 'secrets'>,
  id: string,
  before: unknown,
  after: unknown,
): Promise<void> {
  const namesOfSecrets = (entry: unknown): string[] =>
    secretsIn(JSON.stringify(entry ?? {}))
      .filter(({ server }) => server === id)
      .map(({ name }) => name)
  const kept = new Set(namesOfSecrets(after))
  for (const name of namesOfSecrets(before)) if (!kept.has(name)) await secrets.remove(secretName(id, name))
}

export function recordChange({ audit }: Pick<Gateway, 'audit'>, event: AccessEventName, id: string): void {
  audit.access({ event, outcome: 'ok', caller: 'cli', callerKind: 'cli', subject: `server:${id}` })
}

function unusable(message: string): GatewayError {
  return new GatewayError('conflict', 'SERVERS_FILE_UNUSABLE', message, {
    hint: 'Correct it by hand; nothing was changed.',
  })
}
