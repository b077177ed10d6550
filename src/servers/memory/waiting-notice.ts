// One notification for each change of crow.md that waits: made with it, told anew when it is altered, gone once it is decided. It
// is made and removed inside the write that it is about, so no process sees the one without the other.
import type { Database } from '../../db/client.ts'
import {
  enabledTypes,
  insertNotification,
  removeNotificationsOf,
  rewriteNotificationsOf,
} from './queries/notifications.ts'
import type { Proposal } from './queries/proposals.ts'
import { preview } from './render/excerpt.ts'
import { proposalName, revealed } from './render/section-diff.ts'

const TYPE = 'system'
const TITLE_CHARS_MAX = 200
const WHO_CHARS_MAX = 80

/** @param before the change that this one takes the place of: it has been told of, and is not told of twice */
export function noticeWaiting(db: Database, proposal: Proposal, before: Proposal | undefined, now: number): void {
  const { id, client, caller } = proposal
  const notice = {
    title: preview(`A change of crow.md waits: ${proposalName(proposal)}`, TITLE_CHARS_MAX),
    body: `Wished by ${preview(revealed(client ?? caller), WHO_CHARS_MAX)}. The owner decides: crow context diff ${id}, then crow context approve ${id} or reject ${id}.`,
    source: sourceOf(id),
  }
  if (before !== undefined) rewriteNotificationsOf(db, sourceOf(before.id), notice)
  else if (enabledTypes(db)?.includes(TYPE) !== false)
    insertNotification(db, { ...notice, type: TYPE, priority: 'normal' }, now)
}

/** The change waits no more. */
export function endNotice(db: Database, id: number): void {
  removeNotificationsOf(db, sourceOf(id))
}

/** Numbers of changes are never given twice, so this names one. No tool chooses the source of what it makes. */
const sourceOf = (id: number): string => `change ${id}`
