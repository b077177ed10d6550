// Live calls for `crow inspect`: a Unix socket per process in the data folder that only its owner may open. Calls are
// observed only while somebody watches, and a watcher that reads too slowly is dropped instead of being waited for.
import { readdirSync, rmSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import type { EndEvent, PipelineObserver } from '../runtime/observe.ts'

const UNSENT_BYTES_MAX = 64 * 1024
const WATCHERS_MAX = 16
/** Bound of the smallest `sun_path` there is (macOS, its final NUL counted). */
const SOCKET_PATH_BYTES_MAX = 103
const SOCKET_NAME = /^live-(\d+)\.sock$/

export interface LiveFeed {
  /** Ends every watcher and removes the socket. */
  close(): Promise<void>
}

/** What the feed needs of the catalog. */
export interface Observable {
  observe(observer: PipelineObserver): () => void
}

/** Sockets of all processes on this data folder, dead ones included. */
export function liveSockets(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => SOCKET_NAME.test(name))
    .map((name) => join(folder, name))
}

/**
 * Opens the feed of this process.
 * @returns undefined where there can be none: no Unix sockets on this system or in this folder, or a path too long for one.
 *   That is no reason not to serve.
 */
export async function openLiveFeed(folder: string, catalog: Observable, pid: number): Promise<LiveFeed | undefined> {
  const path = join(folder, `live-${pid}.sock`)
  if (process.platform === 'win32' || Buffer.byteLength(path) > SOCKET_PATH_BYTES_MAX) return undefined
  rmSync(path, { force: true })
  const watchers = new Set<Socket>()
  const watch = startWatching(catalog, pid, watchers)
  const server = createServer((socket) => {
    if (watchers.size >= WATCHERS_MAX) {
      socket.destroy()
      return
    }
    watchers.add(socket)
    watch()
    socket.unref()
    socket.on('error', () => socket.destroy())
    socket.once('close', () => {
      watchers.delete(socket)
      watch()
    })
    socket.resume()
  })
  server.unref()
  try {
    await listenPrivately(server, path)
  } catch (error) {
    if (error instanceof Error && 'code' in error) return undefined
    throw error
  }
  return {
    async close() {
      for (const socket of watchers) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Returns the function that, after each change of `watchers`, begins or ends the observation. */
function startWatching(catalog: Observable, pid: number, watchers: Set<Socket>): () => void {
  let stop: (() => void) | undefined
  const observer: PipelineObserver = {
    id: 'live',
    onEnd: (event) => {
      const line = Buffer.from(`${JSON.stringify(liveCall(event, pid))}\n`)
      for (const socket of watchers) send(socket, line)
    },
  }
  return () => {
    if (watchers.size > 0) stop ??= catalog.observe(observer)
    else {
      stop?.()
      stop = undefined
    }
  }
}

function send(socket: Socket, line: Buffer): void {
  if (socket.writableLength + line.length > UNSENT_BYTES_MAX) socket.destroy()
  else socket.write(line)
}

/** One finished call as the feed shows it: names, sizes and times, never arguments or results. */
export interface LiveCall {
  /** ISO 8601, UTC. */
  readonly at: string
  readonly pid: number
  readonly caller: string
  readonly client: string | undefined
  readonly server: string
  readonly tool: string
  readonly effect: string | undefined
  readonly outcome: string
  readonly code: string | undefined
  readonly bytes: number
  readonly durationMs: number
  readonly incident: string | undefined
}

/** Whether a line of the feed, written by whatever version of this program, is such a call. */
export function isLiveCall(value: unknown): value is LiveCall {
  if (typeof value !== 'object' || value === null) return false
  const { at, server, tool, outcome, durationMs, bytes }: Partial<Record<keyof LiveCall, unknown>> = value
  const texts = [at, server, tool, outcome]
  return texts.every((text) => typeof text === 'string') && typeof durationMs === 'number' && typeof bytes === 'number'
}

function liveCall(event: EndEvent, pid: number): LiveCall {
  const { at, caller, server, tool, effect, outcome, code, bytes, durationMs, incident } = event
  return {
    at: new Date(at).toISOString(),
    pid,
    caller: caller.id,
    client: caller.client,
    server,
    tool,
    effect,
    outcome,
    code,
    bytes,
    durationMs: Math.round(durationMs * 1000) / 1000,
    incident,
  }
}

/** Binding happens inside `listen`, so the socket exists with mode 0600 from its first moment. */
async function listenPrivately(server: Server, path: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    const before = process.umask(0o177)
    try {
      server.listen(path, () => {
        server.off('error', reject)
        resolve()
      })
    } finally {
      process.umask(before)
    }
  })
}
