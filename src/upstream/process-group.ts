// Processes that were started together: who lives of them, and how they are ended. On Windows a process has no group, and
// the tree below it is ended instead.
import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { patiently } from '../lib/patience.ts'

export interface Member {
  readonly pid: number
  /** In the units of the platform; tells two processes of one number apart. */
  readonly started: string
}

/** `pid (name) state ppid pgrp session … starttime`: the name may hold anything, so what follows its last parenthesis counts. */
const STATE = 0
const GROUP = 2
const SESSION = 3
const START = 19

const DEAD_STATES: ReadonlySet<string> = new Set(['Z', 'X', 'x'])
const TERM_MS = 2_000
const KILL_MS = 2_000

/** Sends a signal to a process, or with a negative number to a group. @returns whether there was anybody */
export function signalTo(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal)
  } catch (error) {
    // Somebody is there, and is not ours to end (EPERM).
    return error instanceof Error && 'code' in error && error.code !== 'ESRCH'
  }
}

function statOf(pid: string): readonly string[] | undefined {
  let text: string
  try {
    text = readFileSync(`/proc/${pid}/stat`, 'latin1')
  } catch (error) {
    // Gone between the list and the look.
    if (error instanceof Error) return undefined
    throw error
  }
  return text.slice(text.lastIndexOf(')') + 2).split(' ')
}

/** When a process started, or undefined where it is not there, or the platform has no `/proc`. */
export function startedAt(pid: number): string | undefined {
  const stat = statOf(String(pid))
  return stat === undefined || DEAD_STATES.has(stat[STATE] ?? '') ? undefined : stat[START]
}

/** Linux: who lives of a group, or of the session that its leader opened. */
function membersInProc(group: number): Member[] {
  const wanted = String(group)
  return readdirSync('/proc').flatMap((pid) => {
    const code = pid.charCodeAt(0)
    if (code < 0x31 || code > 0x39) return []
    const stat = statOf(pid)
    if (stat === undefined || DEAD_STATES.has(stat[STATE] ?? '')) return []
    if (stat[GROUP] !== wanted && stat[SESSION] !== wanted) return []
    return [{ pid: Number(pid), started: stat[START] ?? '' }]
  })
}

/** Elsewhere: by `ps`. */
async function membersByPs(group: number): Promise<Member[]> {
  const { stdout } = await promisify(execFile)('ps', ['-axo', 'pid=,pgid=,stat=,lstart='], {
    env: { PATH: '/bin:/usr/bin', LC_ALL: 'C' },
  })
  return stdout.split('\n').flatMap((line) => {
    const [, pid, pgid, state, started] = /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(.+?)\s*$/.exec(line) ?? []
    if (pid === undefined || started === undefined || Number(pgid) !== group || state?.startsWith('Z') === true)
      return []
    return [{ pid: Number(pid), started }]
  })
}

/** Who lives of a group. */
export async function groupMembers(group: number, platform: NodeJS.Platform = process.platform): Promise<Member[]> {
  if (platform === 'linux') return membersInProc(group)
  return platform === 'win32' ? [] : membersByPs(group)
}

/** Whether anybody of a group lives. A dead one that nobody has asked after is nobody. */
export function groupLives(group: number, platform: NodeJS.Platform = process.platform): boolean {
  if (platform === 'win32') return signalTo(group, 0)
  if (platform === 'linux') return membersInProc(group).length > 0
  return signalTo(-group, 0)
}

function signalGroup(group: number, signal: NodeJS.Signals, platform: NodeJS.Platform): void {
  if (platform === 'win32') {
    execFile('taskkill', ['/pid', String(group), '/t', '/f'], { windowsHide: true }, () => undefined)
    return
  }
  signalTo(-group, signal)
  if (platform !== 'linux') return
  // Those that made a group of their own in the same session.
  for (const { pid } of membersInProc(group)) signalTo(pid, signal)
}

/**
 * Asks a group to end, then makes it.
 * @returns whether nobody of it lives any more
 */
export async function endGroup(group: number, platform: NodeJS.Platform = process.platform): Promise<boolean> {
  const isGone = (): boolean => !groupLives(group, platform)
  if (isGone()) return true
  signalGroup(group, 'SIGTERM', platform)
  if (await patiently(isGone, TERM_MS)) return true
  signalGroup(group, 'SIGKILL', platform)
  return patiently(isGone, KILL_MS)
}
