// What slows a guesser down. Every attempt is counted before anything is looked at, under the address it comes from, or under the
// device that has signed in before; many failures from everywhere slow all unknown devices, and lock nobody out.
import { setTimeout as wait } from 'node:timers/promises'
import type { Database, Tx } from '../db/client.ts'
import { AccessError } from '../errors.ts'
import type { Clock } from '../runtime/context.ts'
import { dropFailures, findFailures, putFailures, trimFailures } from './queries.ts'

/** Attempts that cost nothing but the attempt. */
const FREE_ATTEMPTS = 5
const LOCK_FIRST_MS = 15_000
const LOCK_MAX_MS = 15 * 60_000
/** Failures are forgotten after this long without another. */
const MEMORY_MS = 24 * 3_600_000
const ROWS_MAX = 10_000

const EVERYBODY = '*'
const EVERYBODY_MEMORY_MS = 15 * 60_000
/** So many failures of all addresses together, within their memory, slow nobody. */
const EVERYBODY_FREE = 30
const SLOW_FIRST_MS = 250
const SLOW_MAX_MS = 4_000
/** Attempts that wait at once, one of each network. */
const SLOWED_MAX = 1024

/** Where an attempt comes from. */
export interface Visitor {
  /** The address as it is counted: an IPv6 one by its /64. */
  readonly address: string
  readonly userAgent: string
  /** The device, when it proves that somebody signed in on it before. */
  readonly device?: string | undefined
}

export interface Lockout {
  /**
   * Counts one attempt and lets it go on, or not. Call it before anything is compared. What is refused here is not looked
   * at, and not counted.
   * @throws AccessError LOGIN_LOCKED saying when to come again
   */
  begin(visitor: Visitor): Promise<void>
  /** Forgets the failures of whoever succeeded. Inside the write that lets them in. */
  succeed(tx: Tx, visitor: Visitor): void
}

/** How long an address stays locked after this many failures: 15 s, doubling, at most 15 minutes. */
export function lockMsAfter(failures: number): number {
  return failures < FREE_ATTEMPTS
    ? 0
    : Math.min(LOCK_MAX_MS, LOCK_FIRST_MS * 2 ** Math.min(20, failures - FREE_ATTEMPTS))
}

/** How long an attempt of an unknown device waits after this many failures from everywhere. */
export function slowMsAfter(failures: number): number {
  return failures < EVERYBODY_FREE
    ? 0
    : Math.min(SLOW_MAX_MS, SLOW_FIRST_MS * 2 ** Math.min(20, Math.floor((failures - EVERYBODY_FREE) / 10)))
}

const keyOf = ({ address, device }: Visitor): string =>
  device === undefined ? `address:${address}` : `device:${device}`

/** @param pause waits; tests pass their own */
export function createLockout(
  db: Database,
  clock: Pick<Clock, 'now'>,
  pause: (ms: number) => Promise<void> = patience,
): Lockout {
  const slowed = new Set<string>()
  return {
    async begin(visitor) {
      const now = clock.now()
      const { address, device } = visitor
      const slowMs = device === undefined ? slowMsAfter(everybody(db, now) + 1) : 0
      if (slowMs === 0) {
        await db.write((tx) => count(tx, visitor, now))
        return
      }
      // Whoever floods fills the place of their own network only.
      if (slowed.has(address) || slowed.size >= SLOWED_MAX) throw locked(slowMs)
      slowed.add(address)
      try {
        await db.write((tx) => count(tx, visitor, now))
        await pause(slowMs)
      } finally {
        slowed.delete(address)
      }
    },
    succeed(tx, visitor) {
      dropFailures(tx, keyOf(visitor))
      const all = findFailures(tx, EVERYBODY)
      if (all !== undefined && visitor.device === undefined)
        putFailures(tx, { ...all, count: Math.max(0, all.count - 1) })
    },
  }
}

const patience = async (ms: number): Promise<void> => {
  await wait(ms)
}

/** Notes the attempt as a failure, which success takes back. */
function count(tx: Tx, visitor: Visitor, now: number): void {
  const key = keyOf(visitor)
  const before = findFailures(tx, key)
  const lockedMs = (before?.lockedUntil ?? 0) - now
  // A lock that is longer than any comes from a clock that was set back.
  if (lockedMs > 0 && lockedMs <= LOCK_MAX_MS) throw locked(lockedMs)
  const failures = countedUntil(before, now, MEMORY_MS) + 1
  putFailures(tx, { key, count: failures, lastAt: now, lockedUntil: now + lockMsAfter(failures) })
  if (failures === 1) trimFailures(tx, now - MEMORY_MS, ROWS_MAX)
  if (visitor.device === undefined)
    putFailures(tx, { key: EVERYBODY, count: everybody(tx, now) + 1, lastAt: now, lockedUntil: 0 })
}

/** Failures from everywhere, within their memory. */
const everybody = (db: Parameters<typeof findFailures>[0], now: number): number =>
  countedUntil(findFailures(db, EVERYBODY), now, EVERYBODY_MEMORY_MS)

function countedUntil(row: { count: number; lastAt: number } | undefined, now: number, memoryMs: number): number {
  return row === undefined || Math.abs(now - row.lastAt) > memoryMs ? 0 : row.count
}

function locked(retryAfterMs: number): AccessError {
  const seconds = Math.max(1, Math.ceil(retryAfterMs / 1000))
  const when = seconds < 90 ? `${seconds} s` : `${Math.ceil(seconds / 60)} minutes`
  return new AccessError('limited', 'LOGIN_LOCKED', 'Too many failed attempts.', {
    retryAfterMs,
    hint: `Try again in ${when}.`,
  })
}
