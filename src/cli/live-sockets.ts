// The Unix sockets by which the processes on one data folder are found: `live-<pid>.sock` in it, for its owner only. Where the
// folder's path is too long for a socket, that name is a symbolic link to one in a private folder of the system's own.
import { mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { ELSEWHERE, ownSocketOf, privateTarget } from './own-socket.ts'

/** Bound of the smallest `sun_path` there is (macOS, its final NUL counted). */
const SOCKET_PATH_BYTES_MAX = 103
const SOCKET_NAME = /^live-(\d+)\.sock$/

/** Sockets of all processes on this data folder, dead ones included; none where there is no folder. Throws where one may not look. */
export function liveSockets(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => SOCKET_NAME.test(name))
      .map((name) => join(folder, name))
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')) return []
    throw error
  }
}

/**
 * Where the socket of process `pid` is to be bound.
 * @returns undefined where no path is short enough
 * @throws Error of the file system
 */
export function placeSocket(folder: string, pid: number): { entry: string; path: string } | undefined {
  const entry = join(folder, `live-${pid}.sock`)
  if (isShort(entry)) return { entry, path: entry }
  const base = [tmpdir(), '/tmp'].find((one) => isShort(join(one, `${ELSEWHERE}XXXXXX`, 'live.sock')))
  if (base === undefined) return undefined
  const elsewhere = mkdtempSync(join(base, ELSEWHERE))
  try {
    const path = join(elsewhere, 'live.sock')
    symlinkSync(path, entry)
    return { entry, path }
  } catch (error) {
    rmSync(elsewhere, { recursive: true, force: true })
    throw error
  }
}

/**
 * A connection to a living process of this user, `dead` for what a killed one left behind, undefined where one cannot tell.
 * A link whose target is not this user's alone is dead: what stands there now is not what we left.
 */
export async function openLive(entry: string): Promise<Socket | 'dead' | undefined> {
  const path = ownSocketOf(entry)
  if (path === undefined) return undefined
  if (path === null) return 'dead'
  return await new Promise((resolve) => {
    const socket = connect(path)
    socket.once('connect', () => resolve(socket))
    socket.on('error', (error: NodeJS.ErrnoException) => {
      socket.destroy()
      resolve(error.code === 'ECONNREFUSED' || error.code === 'ENOENT' ? 'dead' : undefined)
    })
  })
}

/** Removes the name in the data folder, and the folder elsewhere that it leads to where that is ours. */
export function removeLive(entry: string): void {
  const target = privateTarget(entry)
  rmSync(entry, { force: true })
  if (target !== undefined) rmSync(dirname(target), { recursive: true, force: true })
}

/** Removes what killed processes left behind. */
export async function sweepLive(folder: string): Promise<void> {
  for (const entry of liveSockets(folder)) {
    const found = await openLive(entry)
    if (found === 'dead') removeLive(entry)
    else found?.destroy()
  }
}

function isShort(path: string): boolean {
  return Buffer.byteLength(path) <= SOCKET_PATH_BYTES_MAX
}
