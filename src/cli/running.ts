// Finds the gateways that serve one data folder over HTTP now. Each says over its live socket where it listens, so that
// nothing can be stale: a process that was killed answers no more.
import { isIP, type Socket } from 'node:net'
import { networkInterfaces } from 'node:os'
import type { Config } from '../config.ts'
import { isRecord } from '../lib/json.ts'
import { LineReader } from '../lib/line-reader.ts'
import { localAddress } from './connection.ts'
import { liveSockets, openLive } from './live-sockets.ts'

const ANSWER_MS = 1_000
/** A greeting is far shorter; so is a call. */
export const LINE_BYTES_MAX = 64 * 1024

/** Where a gateway listens. */
export interface Listening {
  readonly host: string
  readonly port: number
}

/** The first line of a live feed. A process without HTTP listens nowhere. */
export interface Greeting {
  readonly pid: number
  readonly listening: Listening | null
}

/** The greeting in a line of the feed; undefined for any other line. */
export function greetingIn(line: string): Greeting | undefined {
  if (!line.startsWith('{"greeting":')) return undefined
  try {
    const parsed: unknown = JSON.parse(line)
    const greeting = isRecord(parsed) ? parsed['greeting'] : undefined
    if (!isRecord(greeting) || typeof greeting['pid'] !== 'number') return undefined
    const { pid, listening } = greeting
    if (!isRecord(listening)) return { pid, listening: null }
    const { host, port } = listening
    if (typeof host !== 'string' || typeof port !== 'number') return undefined
    return { pid, listening: isPort(port) && isHere(host) ? { host, port } : null }
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

function isPort(port: number): boolean {
  return Number.isInteger(port) && port > 0 && port <= 65_535
}

/** Whether a host is this machine, whatever the network says: a client sends its token there. */
function isHere(host: string): boolean {
  if (host === 'localhost' || host === '0.0.0.0' || host === '::' || host === '::1') return true
  const bare = host.replace(/%.*$/, '')
  if (isIP(bare) === 0) return false
  if (bare.startsWith('127.')) return true
  return Object.values(networkInterfaces()).some((all) => all?.some(({ address }) => address === bare))
}

/** Places where gateways of this data folder listen. Changes nothing. */
export async function runningGateways(dataDir: string): Promise<Listening[]> {
  const found = await Promise.all(socketsIn(dataDir).map(listeningOf))
  return found.filter((one) => one !== undefined)
}

/**
 * The configuration as those need it who look for the gateway: where it really listens, if one runs on this data folder.
 * With several of them, the one where the configuration says.
 * @param chosenPort the port that the command line names; then nothing is looked for
 */
export async function reachableConfig(config: Config, chosenPort: number | undefined): Promise<Config> {
  if (chosenPort !== undefined) return config
  const running = await runningGateways(config.dataDir)
  const found = running.find((one) => isAt(config, one)) ?? running[0]
  return found === undefined ? config : { ...config, host: found.host, port: found.port }
}

/** Whether two places are one for clients on this machine. */
export function isAt(one: Listening, other: Listening): boolean {
  return localAddress(one.host, one.port) === localAddress(other.host, other.port)
}

/** Nothing is found where one may not look: it is then somebody else's folder. */
function socketsIn(dataDir: string): string[] {
  try {
    return liveSockets(dataDir)
  } catch (error) {
    if (error instanceof Error && 'code' in error) return []
    throw error
  }
}

async function listeningOf(entry: string): Promise<Listening | undefined> {
  const socket = await openLive(entry)
  if (socket === undefined || socket === 'dead') return undefined
  const line = await firstLine(socket)
  socket.destroy()
  return greetingIn(line)?.listening ?? undefined
}

/** Bounded in length and in time, so that whatever answers cannot hold us up. */
async function firstLine(socket: Socket): Promise<string> {
  return await new Promise((resolve) => {
    const timer = setTimeout(() => resolve(''), ANSWER_MS)
    const reader = new LineReader(LINE_BYTES_MAX)
    let bytes = 0
    socket.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      for (const line of reader.read(chunk)) resolve(line.kind === 'text' ? line.text : '')
      if (bytes > LINE_BYTES_MAX) resolve('')
    })
    socket.once('close', () => {
      clearTimeout(timer)
      resolve('')
    })
  })
}
