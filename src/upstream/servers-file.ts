// Reads `servers.json`: whether it may be believed at all, and which entries stand in it.
import { closeSync, constants, fstatSync, openSync, readSync, type BigIntStats } from 'node:fs'
import { plainJson } from '../clients/json-comments.ts'
import { itemsOf, memberOf } from '../clients/json-text.ts'
import { isRecord } from '../lib/json.ts'

export const SERVERS_FILE = 'servers.json'
export const SERVERS_KEY = 'mcpServers'

const BYTES_MAX = 1 << 20
const ENTRIES_MAX = 256
const DEPTH_MAX = 64
const OTHERS_WRITE = 0o022
const OTHERS = 0o077
const ROOT_UID = 0n

/** Nothing of the file is used; the message is one sentence for a person. */
export class ServersFileError extends Error {}

export interface Note {
  readonly id: string
  readonly message: string
}

export interface ServersFile {
  /** Undefined where there is none. */
  readonly text: string | undefined
  /** By id, as they stand there. */
  readonly entries: ReadonlyMap<string, unknown>
  readonly notes: readonly Note[]
}

/** No file is no servers. @throws ServersFileError */
export function readServersFile(path: string): ServersFile {
  const read = readBounded(path)
  if (read === undefined) return { text: undefined, entries: new Map(), notes: [] }
  const { entries, twice } = entriesOf(read.text)
  const notes = twice.map((id) => ({ id, message: 'stands twice in servers.json; the later one counts' }))
  if (read.isOpen)
    notes.push({ id: SERVERS_FILE, message: `can be read by other users of this machine; run: chmod 600 '${path}'` })
  return { text: read.text, entries, notes }
}

/**
 * The entries in a text.
 * @returns also the ids that stand there more than once
 * @throws ServersFileError
 */
export function entriesOf(text: string): { entries: ReadonlyMap<string, unknown>; twice: string[] } {
  const json = plainJson(text)
  if (json.trim() === '') throw new ServersFileError('servers.json is empty; {} says that there are no servers')
  refuseDeep(json)
  const parsed = parse(json)
  const servers = parsed[SERVERS_KEY]
  if (servers === undefined || servers === null) {
    if (isRecord(parsed['servers']))
      throw new ServersFileError('servers.json has its entries under "servers"; call that "mcpServers"')
    return { entries: new Map(), twice: [] }
  }
  if (!isRecord(servers)) throw new ServersFileError('"mcpServers" in servers.json must be an object')
  const entries = Object.entries(servers)
  if (entries.length > ENTRIES_MAX) throw new ServersFileError(`servers.json has more than ${ENTRIES_MAX} entries`)
  const open = memberOf(json, json.indexOf('{'), SERVERS_KEY)?.start ?? 0
  const keys = itemsOf(json, open).map(({ key = '' }) => key)
  return { entries: new Map(entries), twice: [...new Set(keys.filter((key, at) => keys.indexOf(key) !== at))] }
}

/** A text that does not end goes to the end: looked for from each of its quotes again, it would take minutes. */
const BRACKET = /"(?:[^"\\]|\\[^])*(?:"|\\?$)|[{}[\]]/g

/** What is deeper than anything that is looked at here could only exhaust whoever walks through it. */
function refuseDeep(json: string): void {
  let depth = 0
  for (const [token] of json.matchAll(BRACKET)) {
    if (token === '{' || token === '[') depth++
    else if (token === '}' || token === ']') depth--
    if (depth > DEPTH_MAX) throw new ServersFileError(`servers.json is nested deeper than ${DEPTH_MAX} levels`)
  }
}

function parse(json: string): Record<string, unknown> {
  let parsed: unknown
  try {
    parsed = JSON.parse(json)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    // What the parser says quotes the text, and that may hold a secret.
    const at = /position (\d+)/.exec(error.message)?.[1]
    const line = at === undefined ? '' : `, at line ${json.slice(0, Number(at)).split('\n').length}`
    throw new ServersFileError(`servers.json is not valid JSON${line}`)
  }
  if (!isRecord(parsed)) throw new ServersFileError('servers.json must hold a JSON object')
  return parsed
}

function readBounded(path: string): { text: string; isOpen: boolean } | undefined {
  try {
    return readOpened(path)
  } catch (error) {
    if (error instanceof ServersFileError || !(error instanceof Error && 'code' in error)) throw error
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined
    throw new ServersFileError(`servers.json cannot be read (${String(error.code)})`)
  }
}

/** Looks at what was opened, not at the name, so that nobody exchanges it in between. */
function readOpened(path: string): { text: string; isOpen: boolean } {
  const handle = openSync(path, constants.O_RDONLY | NO_WAIT)
  try {
    const stat = fstatSync(handle, { bigint: true })
    if (!stat.isFile()) throw new ServersFileError('servers.json is not a file')
    refuseForeign(path, stat)
    if (stat.size > BYTES_MAX) throw new ServersFileError(`servers.json is larger than ${BYTES_MAX} bytes`)
    // What is added meanwhile is read when the change is seen.
    const bytes = Buffer.alloc(Number(stat.size))
    let length = 0
    for (let read = -1; read !== 0 && length < bytes.length; length += read)
      read = readSync(handle, bytes, length, bytes.length - length, null)
    return { text: bytes.toString('utf8', 0, length), isOpen: isUnix && (Number(stat.mode) & OTHERS) !== 0 }
  } finally {
    closeSync(handle)
  }
}

/** A pipe of that name would hold up the whole process until somebody writes into it. Windows has no such flag. */
const NO_WAIT: number = process.platform === 'win32' ? 0 : constants.O_NONBLOCK

const isUnix = process.platform !== 'win32'

/** Whoever can write it decides which programs run. */
function refuseForeign(path: string, { mode, uid }: BigIntStats): void {
  if (!isUnix) return
  if ((Number(mode) & OTHERS_WRITE) !== 0)
    throw new ServersFileError(
      `servers.json can be changed by other users of this machine, so it is not used; run: chmod 600 '${path}'`,
    )
  const us = process.getuid?.()
  if (us !== undefined && uid !== ROOT_UID && uid !== BigInt(us))
    throw new ServersFileError(`servers.json belongs to uid ${uid}, not to uid ${us} or root, so it is not used`)
}
