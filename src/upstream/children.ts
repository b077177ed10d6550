// The record of running children: a gateway that was killed leaves them behind, and its next start ends them. Exactly them:
// a number that the system has given to another process since is never touched.
import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createFolder } from '../lib/folder.ts'
import { isRecord } from '../lib/json.ts'
import { toError } from '../lib/thrown.ts'
import { bootId, endGroup, groupMembers, memberOf, type Member } from './process-group.ts'

/** Below the data folder. */
const FOLDER = join('run', 'children')
const MODE = 0o600

/** One process group, as it stands in a file of this user alone. */
interface ChildRecord {
  readonly group: number
  /** For the log; its arguments may be secrets, and are not written. */
  readonly command: string
  /** Numbers of processes mean something until the machine starts anew. */
  readonly boot: string
  /** The process that takes care of it; while that lives, nobody else does. */
  readonly owner: Member
  readonly members: readonly Member[]
}

/** Told of every process group that was started and of its end. */
export interface ChildRegister {
  started(group: number, command: string): void
  /** All that it was to start has started. */
  settled(group: number): void
  ended(group: number): void
}

/**
 * Keeps the record of the children of this process. A record that cannot be written costs nobody a call: `onProblem` is told.
 * @param dataDir the data folder; its `run/children` is made when the first child starts
 */
export function childRegister(dataDir: string, onProblem: (error: Error) => void): ChildRegister {
  const commands = new Map<number, string>()
  const keep = async (group: number, looking: Promise<readonly (Member | undefined)[]>): Promise<void> => {
    try {
      const [owner, found] = await Promise.all([memberOf(process.pid), looking])
      const members = found.filter((member) => member !== undefined)
      const command = commands.get(group)
      // It may have ended while we looked.
      if (command === undefined || owner === undefined) return
      write(dataDir, { group, command, boot: bootId(), owner, members })
    } catch (error) {
      onProblem(toError(error))
    }
  }
  return {
    started(group, command) {
      commands.set(group, command)
      // Its leader alone: who else there is takes a look at all processes.
      void keep(
        group,
        memberOf(group).then((leader) => [leader]),
      )
    },
    settled: (group) => void keep(group, groupMembers(group)),
    ended(group) {
      commands.delete(group)
      try {
        rmSync(fileOf(dataDir, group), { force: true })
      } catch (error) {
        onProblem(toError(error))
      }
    },
  }
}

export interface Orphan {
  readonly group: number
  readonly command: string
  /** Whether nobody of it lives any more. */
  readonly ended: boolean
}

/** Ends what processes that are no more have left running, and forgets it. @returns the groups that were found alive */
export async function endOrphans(dataDir: string): Promise<readonly Orphan[]> {
  const folder = join(dataDir, FOLDER)
  const found = await Promise.all(filesIn(folder).map((name) => endOrphan(join(folder, name))))
  return found.filter((orphan) => orphan !== undefined)
}

async function endOrphan(file: string): Promise<Orphan | undefined> {
  const record = recordIn(textOf(file))
  if (record !== undefined && record.boot === bootId()) {
    if (isAmong(await memberOf(record.owner.pid), [record.owner])) return undefined
    const { group, command, members } = record
    const living = await groupMembers(group)
    if (living.some((member) => isAmong(member, members))) {
      const ended = await endGroup(group)
      if (ended) rmSync(file, { force: true })
      return { group, command, ended }
    }
  }
  rmSync(file, { force: true })
  return undefined
}

/** Another process that starts may have dealt with it meanwhile. */
function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return ''
    throw error
  }
}

const isAmong = (member: Member | undefined, members: readonly Member[]): boolean =>
  member !== undefined && members.some(({ pid, started }) => pid === member.pid && started === member.started)

const fileOf = (dataDir: string, group: number): string => join(dataDir, FOLDER, `${group}.json`)

/** Whole or not at all: it is read after a crash. */
function write(dataDir: string, record: ChildRecord): void {
  createFolder(join(dataDir, FOLDER))
  const file = fileOf(dataDir, record.group)
  writeFileSync(`${file}.new`, JSON.stringify(record), { mode: MODE })
  renameSync(`${file}.new`, file)
}

function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => name.endsWith('.json'))
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
    throw error
  }
}

function recordIn(text: string): ChildRecord | undefined {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
  if (!isRecord(value)) return undefined
  const { group, command, boot, owner, members } = value
  if (typeof group !== 'number' || !Number.isSafeInteger(group) || group <= 1) return undefined
  if (typeof command !== 'string' || typeof boot !== 'string' || !isMember(owner)) return undefined
  return Array.isArray(members) ? { group, command, boot, owner, members: members.filter(isMember) } : undefined
}

function isMember(value: unknown): value is Member {
  return isRecord(value) && typeof value['pid'] === 'number' && typeof value['started'] === 'string'
}
