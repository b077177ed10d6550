// One step of the scheduler: turns schedules that are due into notifications, in one transaction, exactly once.
import { DomainError } from '../../errors.ts'
import type { Database } from '../../db/client.ts'
import { releaseLeaseIn, takeLeaseIn } from '../../db/leases.ts'
import { DAY_MS } from '../../lib/time.ts'
import type { Log } from '../../runtime/context.ts'
import { nextDue } from './policy/cron.ts'
import { purgeDreams } from './queries/dreams.ts'
import { purgeMemories } from './queries/memory-writes.ts'
import { enabledTypes, insertNotification, purgeNotifications } from './queries/notifications.ts'
import { advanceSchedule, changeSchedule, dueSchedules, waitingSchedules, type Schedule } from './queries/schedules.ts'
import { preview } from './render/excerpt.ts'

/** Long enough to fire in, short enough that a killed holder delays nobody noticeably. */
const LEASE_MS = 10_000
const DUE_MAX = 200
const PURGE_ROWS_MAX = 500
/** Deleted memories and merges can be brought back for this long. */
export const KEPT_MS = 30 * DAY_MS
const TITLE_CHARS_MAX = 200
const TYPE = 'reminder'

export interface FiringFacts {
  readonly db: Database
  readonly timeZone: string
  readonly log: Log
  /** Unique per process start. */
  readonly holder: string
}

/**
 * Fires what is due: one notification per schedule, however many times were missed, and the next time lies after `now`.
 * The lease is held no longer than that.
 * @returns how many schedules ran, or `undefined` while another process holds the lease
 */
export function fireDue(facts: FiringFacts, now: number): Promise<number | undefined> {
  const { db, holder } = facts
  return db.write((tx) => {
    const lease = { name: 'schedules', holder, ttlMs: LEASE_MS }
    if (!takeLeaseIn(tx, lease, now)) return undefined
    const due = dueSchedules(db, now, DUE_MAX)
    const notify = enabledTypes(db)?.includes(TYPE) !== false
    for (const schedule of due) fire(facts, schedule, now, notify)
    // What comes due next is anybody's: kept, the lease would hold it up whenever another process wakes first.
    releaseLeaseIn(tx, lease)
    return due.length
  })
}

/**
 * Computes waiting times anew where the time zone or the clock says something else than when they were written.
 * @returns how many were moved
 */
export async function realign(facts: FiringFacts, now: number): Promise<number> {
  const { db } = facts
  const moved = () =>
    waitingSchedules(db, now).filter((schedule) => following(facts, schedule, now) !== schedule.nextRunAt)
  if (moved().length === 0) return 0
  return db.write(() => {
    const wrong = moved()
    for (const schedule of wrong) advanceSchedule(db, schedule.id, { nextRunAt: following(facts, schedule, now) })
    return wrong.length
  })
}

/** Erases what has outlived its time: expired notifications, deleted memories, merges that cannot be undone any more. */
export function sweep({ db }: FiringFacts, now: number): Promise<void> {
  return db.write(() => {
    purgeNotifications(db, now)
    purgeMemories(db, now - KEPT_MS, PURGE_ROWS_MAX)
    purgeDreams(db, now - KEPT_MS)
  })
}

function fire(facts: FiringFacts, schedule: Schedule, now: number, notify: boolean): void {
  const { db } = facts
  if (notify) {
    const title = preview(schedule.task, TITLE_CHARS_MAX)
    const details = [title === schedule.task ? undefined : schedule.task, schedule.description ?? undefined]
    const body = details.filter((part) => part !== undefined).join('\n')
    insertNotification(
      db,
      {
        type: TYPE,
        title,
        body: body === '' ? null : body,
        priority: 'normal',
        source: `schedule ${schedule.id}`,
        scheduleId: schedule.id,
        dueAt: schedule.nextRunAt ?? now,
      },
      now,
    )
  }
  advanceSchedule(db, schedule.id, { ranAt: now, nextRunAt: following(facts, schedule, now) })
}

/** The next time of a schedule. One whose expression is no longer understood is switched off, not retried for ever. */
function following({ db, timeZone, log }: FiringFacts, schedule: Schedule, now: number): number | null {
  try {
    return nextDue(schedule.cronExpression, timeZone, now) ?? null
  } catch (error) {
    if (!(error instanceof DomainError)) throw error
    log.warn(
      { err: error, schedule: schedule.id },
      'a schedule was switched off: its cron expression is not understood',
    )
    if (db.sqlite.inTransaction) changeSchedule(db, schedule.id, { enabled: false }, now)
    return null
  }
}
