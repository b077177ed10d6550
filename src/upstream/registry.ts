// Which external servers there are, at every moment: the integrations and `servers.json`, read again whenever the file changed.
// Nothing here writes it; only a command of the owner does.
import { statSync } from 'node:fs'
import type { RawEnvironment } from '../config/read.ts'
import type { JsonLog } from '../lib/log.ts'
import { repeat } from '../lib/repeat.ts'
import { type Configured, configuredOf, type Owner, startFolder } from './configured.ts'
import type { Self } from './reach.ts'
import { type Note, readServersFile, SERVERS_FILE, ServersFileError } from './servers-file.ts'
import type { SourceSpec, SpecList } from './spec.ts'

/** A change is taken up after two looks that saw the same, so that a file is not read while an editor writes it. */
const LOOK_MS = 250
/** Whoever writes without a pause is read all the same. */
const CHANGES_MAX = 8

export interface RegistryOptions {
  /** Path of `servers.json`, absolute; it need not be there. */
  readonly file: string
  readonly environment: RawEnvironment
  readonly secrets: { read(name: string): string | undefined }
  /** 32 bytes of this gateway, the same after a restart: `vault.derive('upstream')`. */
  readonly key: Uint8Array
  /** Ids and other names of the gateway's own servers. */
  readonly ownIds: readonly string[]
  readonly self: Self
  readonly log: Pick<JsonLog, 'info' | 'warn'>
  /** How often the file is looked at; 0 for never, in a process that does not stay. Default 250. */
  readonly everyMs?: number
}

export interface Registry {
  /** What is configured now; the same object until something changes. */
  current(): Configured
  /** Calls `listener` with every new list. What it throws goes to the log. @returns stops calling */
  onChange(listener: (list: SpecList) => void): () => void
  /** Reads everything anew, at once. */
  reload(): void
  close(): Promise<void>
}

/** Reads what is configured. Never throws for what stands in the file: that is among the problems. */
export function openRegistry(options: RegistryOptions): Registry {
  const owner: Owner = { ...options, folder: startFolder(options.environment, options.file) }
  const listeners = new Set<(list: SpecList) => void>()
  let entries: ReadonlyMap<string, unknown> = new Map()
  let list = read()
  report(options.log, list, undefined)

  /** An unreadable file leaves what was read last in force. */
  function read(): Configured {
    let notes: readonly Note[] = []
    const broken: Note[] = []
    try {
      const file = readServersFile(options.file)
      ;({ entries, notes } = file)
    } catch (error) {
      if (!(error instanceof ServersFileError)) throw error
      broken.push({ id: SERVERS_FILE, message: error.message })
    }
    const found = configuredOf(entries, owner)
    return { ...found, problems: [...broken, ...found.problems], notes: [...notes, ...found.notes] }
  }

  function reload(): void {
    const next = read()
    if (stateOf(next) === stateOf(list)) return
    report(options.log, next, list)
    list = next
    for (const listener of listeners) tell(listener, next, options.log)
  }

  /** A fault of ours shall not end the looking. */
  function reloadOrLog(): void {
    try {
      reload()
    } catch (error) {
      options.log.warn({ err: error }, 'the list of external servers was not read')
    }
  }

  const everyMs = options.everyMs ?? LOOK_MS
  const stop = everyMs === 0 ? async () => undefined : watch(options.file, everyMs, reloadOrLog)
  return {
    current: () => list,
    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    reload,
    close: stop,
  }
}

/**
 * Looks instead of being told: a watched folder would wake us for every write to the database in it, and a watched file is lost
 * when an editor puts another in its place.
 */
function watch(file: string, everyMs: number, changed: () => void): () => Promise<void> {
  let read: string | undefined
  let seen: string | undefined
  let changes = 0
  return repeat(
    async () => {
      const now = stampOf(file)
      // The first look is compared with itself: what the file was when it was read is not known exactly.
      const isStill = now === seen || ++changes > CHANGES_MAX
      seen = now
      if (!isStill || now === read) return
      changes = 0
      read = now
      changed()
    },
    { firstMs: everyMs, everyMs },
  )
}

/** Changes with whatever is done to the file, its permissions included. It lies beside the database, so a look is quick. */
function stampOf(file: string): string {
  try {
    const found = statSync(file, { bigint: true, throwIfNoEntry: false })
    return found === undefined ? 'none' : `${found.dev} ${found.ino} ${found.ctimeNs} ${found.size}`
  } catch (error) {
    if (error instanceof Error && 'code' in error) return String(error.code)
    throw error
  }
}

function stateOf({ specs, problems, notes }: Configured): string {
  return JSON.stringify([specs.map(({ fingerprint }) => fingerprint), problems, notes])
}

function tell(listener: (list: SpecList) => void, list: SpecList, log: RegistryOptions['log']): void {
  try {
    listener(list)
  } catch (error) {
    log.warn({ err: error }, 'a listener of the list of external servers failed')
  }
}

/** Says what is new, once. */
function report(log: RegistryOptions['log'], next: Configured, before: Configured | undefined): void {
  const said = new Set([...(before?.problems ?? []), ...(before?.notes ?? [])].map(({ message }) => message))
  for (const { id, message } of next.problems) if (!said.has(message)) log.warn({ server: id }, message)
  for (const { id, message } of next.notes) if (!said.has(message)) log.info({ server: id }, message)
  if (before === undefined) return
  const changed = changesOf(next.specs, before.specs)
  if (changed.length > 0) log.info({ servers: changed }, 'external servers were configured anew')
}

/** Ids of what was added, removed or changed. */
function changesOf(next: readonly SourceSpec[], before: readonly SourceSpec[]): string[] {
  const [now, then] = [fingerprintsOf(next), fingerprintsOf(before)]
  return [...new Set([...now.keys(), ...then.keys()])].filter((id) => now.get(id) !== then.get(id))
}

const fingerprintsOf = (specs: readonly SourceSpec[]): ReadonlyMap<string, string> =>
  new Map(specs.map(({ id, fingerprint }) => [id, fingerprint]))
