// Processes that were started together: who lives of them, and how they are ended. On Windows a process has no group, and
// the tree below it is ended instead.
import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'

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
/** What is sent, and how long it may take to have an effect. */
const STEPS = [
  ['SIGTERM', 2_000],
  ['SIGKILL', 2_000],
] as const
const LOOK_MS = 5
const LOOK_MS_MAX = 100

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

function memberInProc(pid: string, isWanted: (stat: readonly string[]) => boolean): Member | undefined {
  const stat = statOf(pid)
  if (stat === undefined || DEAD_STATES.has(stat[STATE] ?? '') || !isWanted(stat)) return undefined
  return { pid: Number(pid), started: stat[START] ?? '' }
}

/** Linux: who lives of a group, or of the session that its leader opened. */
function membersInProc(group: number): Member[] {
  const wanted = String(group)
  return readdirSync('/proc')
    .filter((name) => /^\d/.test(name))
    .map((pid) => memberInProc(pid, (stat) => stat[GROUP] === wanted || stat[SESSION] === wanted))
    .filter((member) => member !== undefined)
}

/** Elsewhere: by `ps`. */
async function membersByPs(isWanted: (pid: number, group: number) => boolean): Promise<Member[]> {
  const env = { PATH: '/bin:/usr/bin', LC_ALL: 'C' }
  const { stdout } = await promisify(execFile)('ps', ['-axo', 'pid=,pgid=,stat=,lstart='], { env })
  return stdout.split('\n').flatMap((line) => {
    const [, pid, group, state, started] = /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(.+?)\s*$/.exec(line) ?? []
    if (started === undefined || state?.startsWith('Z') === true || !isWanted(Number(pid), Number(group))) return []
    return [{ pid: Number(pid), started }]
  })
}

/** Who lives of a group. Windows has no groups, and nobody is told apart there. */
export async function groupMembers(group: number, platform: NodeJS.Platform = process.platform): Promise<Member[]> {
  if (platform === 'linux') return membersInProc(group)
  return platform === 'win32' ? [] : membersByPs((_pid, of) => of === group)
}

/** A process that lives, as it can be told from a later one with the same number. */
export async function memberOf(pid: number, platform: NodeJS.Platform = process.platform): Promise<Member | undefined> {
  if (platform === 'linux') return memberInProc(String(pid), () => true)
  return platform === 'win32' ? undefined : (await membersByPs((each) => each === pid))[0]
}

/** The same at once, where the platform can: `undefined` where nobody lives, or nobody can tell. */
export function startedAt(pid: number): string | undefined {
  return memberInProc(String(pid), () => true)?.started
}

/** Names the time since this machine was started, where the platform has a name for it. */
export function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim()
  } catch (error) {
    if (error instanceof Error && 'code' in error) return ''
    throw error
  }
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
  if (!groupLives(group, platform)) return true
  for (const [signal, patienceMs] of STEPS) {
    signalGroup(group, signal, platform)
    if (await goneWithin(group, patienceMs, platform)) return true
  }
  return false
}

/** Looked at less and less often: a look goes through all processes. */
async function goneWithin(group: number, patienceMs: number, platform: NodeJS.Platform): Promise<boolean> {
  const until = performance.now() + patienceMs
  for (let wait = LOOK_MS; performance.now() < until; wait = Math.min(wait * 2, LOOK_MS_MAX)) {
    await delay(wait)
    if (!groupLives(group, platform)) return true
  }
  return false
}
