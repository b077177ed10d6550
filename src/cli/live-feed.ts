// Live calls for `crow inspect`: a Unix socket per process that only its owner may open. It greets with where the process
// listens. Calls are observed only while somebody watches, and a watcher that reads too slowly is dropped, not waited for.
import { createServer, type Server, type Socket } from 'node:net'
import type { EndEvent, PipelineObserver } from '../runtime/observe.ts'
import { answerQuestions, type LiveAnswers } from './live-questions.ts'
import { placeSocket, removeLive, sweepLive } from './live-sockets.ts'
import type { Greeting, Listening } from './running.ts'

const UNSENT_BYTES_MAX = 64 * 1024
const WATCHERS_MAX = 16

export interface LiveFeed {
  /** Ends every watcher and removes the socket. */
  close(): Promise<void>
}

/** What the feed needs of the catalog. */
export interface Observable {
  observe(observer: PipelineObserver): () => void
}

/**
 * Opens the feed of this process, and removes what killed processes left in the folder.
 * @param listening where this process serves HTTP; null when it does not
 * @param answers to questions about external servers, where this process supervises them
 * @returns undefined where there can be none: no Unix sockets on this system or in this folder. That is no reason not to serve.
 */
export async function openLiveFeed(
  folder: string,
  catalog: Observable,
  pid: number,
  listening: Listening | null,
  answers?: LiveAnswers,
): Promise<LiveFeed | undefined> {
  if (process.platform === 'win32') return undefined
  const greeting = `${JSON.stringify({ greeting: { pid, listening } satisfies Greeting })}\n`
  const watchers = new Set<Socket>()
  const server = serverOf(watchers, startWatching(catalog, pid, watchers), { greeting, answers })
  const entry = await bind(server, folder, pid)
  if (entry === undefined) return undefined
  return {
    async close() {
      for (const socket of watchers) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
      removeLive(entry)
    },
  }
}

/** @returns the name in the data folder */
async function bind(server: Server, folder: string, pid: number): Promise<string | undefined> {
  let place: ReturnType<typeof placeSocket>
  try {
    await sweepLive(folder)
    place = placeSocket(folder, pid)
    if (place === undefined) return undefined
    await listenPrivately(server, place.path)
    return place.entry
  } catch (error) {
    // A name in the folder itself that is taken belongs to a living process, seen from another container.
    if (place !== undefined && place.path !== place.entry) removeLive(place.entry)
    if (error instanceof Error && 'code' in error) return undefined
    throw error
  }
}

interface Said {
  readonly greeting: string
  readonly answers: LiveAnswers | undefined
}

function serverOf(watchers: Set<Socket>, watch: () => void, { greeting, answers }: Said): Server {
  const server = createServer((socket) => {
    socket.unref()
    socket.on('error', () => socket.destroy())
    if (watchers.size >= WATCHERS_MAX) {
      socket.end(greeting)
      return
    }
    socket.write(greeting)
    watchers.add(socket)
    watch()
    socket.once('close', () => {
      watchers.delete(socket)
      watch()
    })
    if (answers === undefined) socket.resume()
    else answerQuestions(socket, answers)
  })
  return server.unref()
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
