// Where the gateway of a data folder is, for other processes of the same user: `run/gateway.json`, with a key that lives as
// long as the gateway does. Those processes reach external servers through it, so that there is one of each.
import { lstatSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { plainHost } from '../config/forbidden-hosts.ts'
import { isLoopback } from '../config/network.ts'
import { createFolder } from '../lib/folder.ts'
import { isRecord } from '../lib/json.ts'
import { isOwnAddress } from './reach.ts'
import { bootId, signalTo, startedAt } from './process-group.ts'

const FILE = join('run', 'gateway.json')
const MODE = 0o600
const OTHERS = 0o077

export interface Presence {
  readonly pid: number
  /** When it started, in the units of the platform: a number may have gone to another process. */
  readonly started: string
  /** `http://127.0.0.1:<port>`, with the path below which everything is served. */
  readonly address: string
  /** A bearer token for everything, good while the gateway runs. */
  readonly key: string
}

/**
 * Says where this process serves. One that lives and has said so first stays the one that is asked. Saying it again costs little.
 * @returns takes it back
 * @throws Error of the file system
 */
export function announcePresence(dataDir: string, own: Pick<Presence, 'address' | 'key'>): () => void {
  const other = livingGateway(dataDir)
  if (other !== undefined && other.pid !== process.pid) return () => undefined
  const file = join(dataDir, FILE)
  const takeBack = (): void => {
    if (presenceIn(file)?.key === own.key) rmSync(file, { force: true })
  }
  if (other?.key === own.key) return takeBack
  const presence: Presence = { pid: process.pid, started: startOf(process.pid) ?? '', ...own }
  createFolder(dirname(file))
  const fresh = `${file}.${process.pid}`
  writeFileSync(fresh, JSON.stringify(presence), { mode: MODE })
  renameSync(fresh, file)
  return takeBack
}

/** The gateway that serves this data folder now. What a killed one has left says nothing. */
export function livingGateway(dataDir: string): Presence | undefined {
  const presence = presenceIn(join(dataDir, FILE))
  return presence !== undefined && startOf(presence.pid) === presence.started && isHere(presence.address)
    ? presence
    : undefined
}

/** The key and all calls go there: to this machine, whatever the file says. */
function isHere(address: string): boolean {
  const url = URL.parse(address)
  if (url === null || url.protocol !== 'http:' || url.username + url.password !== '') return false
  const host = plainHost(url.hostname)
  return isLoopback(host) || isOwnAddress(host)
}

/** Platforms without `/proc` tell only whether it lives. */
function startOf(pid: number): string | undefined {
  if (process.platform === 'linux') {
    const ticks = startedAt(pid)
    return ticks === undefined ? undefined : `${bootId()} ${ticks}`
  }
  return signalTo(pid, 0) ? '' : undefined
}

function presenceIn(file: string): Presence | undefined {
  try {
    const { mode, uid } = lstatSync(file)
    if (process.platform !== 'win32' && ((mode & OTHERS) !== 0 || uid !== process.getuid?.())) return undefined
    const value: unknown = JSON.parse(readFileSync(file, 'utf8'))
    if (!isRecord(value)) return undefined
    const { pid, started, address, key } = value
    const isWhole = typeof pid === 'number' && typeof started === 'string'
    return isWhole && typeof address === 'string' && typeof key === 'string'
      ? { pid, started, address, key }
      : undefined
  } catch (error) {
    if (error instanceof SyntaxError || (error instanceof Error && 'code' in error)) return undefined
    throw error
  }
}
