// The arithmetic of the context ledger: what lists and replies weighed, added up by day, client and mount. Pure: it reads no
// clock and writes nothing, and an event costs two look-ups and a few additions.
import { OTHER_CLIENTS, type LedgerLine } from '../../db/context-ledger.ts'
import { maskSecrets } from '../../lib/log.ts'
import { DAY_MS } from '../../lib/time.ts'
import type { Caller } from '../context.ts'
import type { EndEvent, ListEvent } from '../observe.ts'

/** What is counted. */
export type LedgerSums = Omit<LedgerLine, 'day' | 'caller' | 'client' | 'mount'>
type Cell = { -readonly [Name in keyof LedgerLine]: LedgerLine[Name] }

/** Clients told apart between two writes; beyond it they are one. */
const CLIENTS_MAX = 64
const NAME_CHARS_MAX = 128

/** Days since 1970-01-01, UTC. */
export const dayOf = (at: number): number => Math.floor(at / DAY_MS)

/** `2026-01-31` */
export const dateOf = (day: number): string => new Date(day * DAY_MS).toISOString().slice(0, 10)

/** Bytes that a client was spared, or had to read more where it is negative. It says nothing of what came of them. */
export const savedBytes = ({ directBytes, listBytes, discoverBytes, errorBytes }: LedgerSums): number =>
  directBytes - listBytes - discoverBytes - errorBytes

const NOTHING: LedgerSums = Object.freeze({
  lists: 0,
  listBytes: 0,
  directBytes: 0,
  discovers: 0,
  discoverBytes: 0,
  errors: 0,
  errorBytes: 0,
  replies: 0,
  replyBytes: 0,
})

/** The sums of several lines. */
export function totalOf(lines: readonly LedgerSums[]): LedgerSums {
  const total = { ...NOTHING }
  for (const line of lines) addTo(total, line)
  return total
}

function addTo(into: { -readonly [Name in keyof LedgerSums]: number }, more: LedgerSums): void {
  into.lists += more.lists
  into.listBytes += more.listBytes
  into.directBytes += more.directBytes
  into.discovers += more.discovers
  into.discoverBytes += more.discoverBytes
  into.errors += more.errors
  into.errorBytes += more.errorBytes
  into.replies += more.replies
  into.replyBytes += more.replyBytes
}

/** What was counted and not taken yet. */
export class Tally {
  /** Of one day: by client, then by mount. */
  #clients = new Map<string, Map<string, Cell>>()
  #day = 0
  /** Whose cells were looked up last: one client mostly asks several times in a row. */
  #last:
    | { readonly caller: Caller; readonly client: string | undefined; readonly mounts: Map<string, Cell> }
    | undefined
  /** Of days that ended, or that could not be written. */
  #kept: LedgerLine[] = []

  get isEmpty(): boolean {
    return this.#clients.size === 0 && this.#kept.length === 0
  }

  list({ at, caller, mount, bytes, directBytes }: ListEvent): void {
    const cell = this.#cell(at, caller, mount)
    cell.lists++
    cell.listBytes += bytes
    cell.directBytes += directBytes
  }

  /**
   * A reply to a call. Where the call was made to a server that stands for others, its errors and the replies of its own
   * tools are what that costs; everything else would have been said anyway.
   */
  reply({ at, kind, caller, server, via, bytes, isError }: EndEvent): void {
    // A person at a shell has no context to fill, and a refusal at the door says nothing to a model.
    if (kind !== 'tool' || caller.kind === 'cli' || (isError && bytes === 0)) return
    const cell = this.#cell(at, caller, via ?? server)
    if (via !== undefined && isError) {
      cell.errors++
      cell.errorBytes += bytes
    } else if (via === server) {
      cell.discovers++
      cell.discoverBytes += bytes
    } else {
      cell.replies++
      cell.replyBytes += bytes
    }
  }

  /** Everything counted so far; it is counted here no longer. */
  take(): LedgerLine[] {
    this.#close()
    const lines = this.#kept
    this.#kept = []
    return lines
  }

  /** Lines that could not be written. They are as many as days, clients and mounts, however long it lasts. */
  putBack(lines: readonly LedgerLine[]): void {
    this.#close()
    const known = new Map<string, Cell>()
    for (const line of [...lines, ...this.#kept]) {
      const key = JSON.stringify([line.day, line.caller, line.client, line.mount])
      const cell = known.get(key)
      if (cell === undefined) known.set(key, { ...line })
      else addTo(cell, line)
    }
    this.#kept = [...known.values()]
  }

  #close(): void {
    for (const mounts of this.#clients.values()) this.#kept.push(...mounts.values())
    this.#clients = new Map()
    this.#last = undefined
  }

  #cell(at: number, caller: Caller, mount: string): Cell {
    const day = dayOf(at)
    if (day !== this.#day) {
      this.#close()
      this.#day = day
    }
    const mounts = this.#mountsOf(caller)
    const cell = mounts.get(mount)
    if (cell !== undefined) return cell
    const isOther = mounts === this.#clients.get(OTHER_CLIENTS)
    const name = caller.client ?? caller.id
    const made: Cell = {
      day,
      caller: isOther ? OTHER_CLIENTS : caller.id,
      client: isOther ? OTHER_CLIENTS : maskSecrets(name).slice(0, NAME_CHARS_MAX).toWellFormed(),
      mount,
      ...NOTHING,
    }
    mounts.set(mount, made)
    return made
  }

  #mountsOf(caller: Caller): Map<string, Cell> {
    const { id, client } = caller
    if (this.#last?.caller === caller && this.#last.client === client) return this.#last.mounts
    // Ids hold no line feed, so nobody can spell the key of another.
    const key = client === undefined ? id : `${id}\n${client}`
    const mounts = this.#clients.get(key) ?? this.#admit(key)
    this.#last = { caller, client, mounts }
    return mounts
  }

  #admit(key: string): Map<string, Cell> {
    const other = this.#clients.size >= CLIENTS_MAX ? OTHER_CLIENTS : key
    const known = this.#clients.get(other)
    if (known !== undefined) return known
    const made = new Map<string, Cell>()
    this.#clients.set(other, made)
    return made
  }
}
