// Renders one notification.
import type { Notification } from '../queries/notifications.ts'
import { element } from './fence.ts'
import { isoTime, isoTimeIf } from './time.ts'

export function renderNotification(notification: Notification, now: number): string {
  const { title, body } = notification
  const attributes = {
    id: notification.id,
    priority: notification.priority === 'normal' ? undefined : notification.priority,
    type: notification.type,
    state: stateOf(notification, now),
    created: isoTime(notification.createdAt),
    due: isoTimeIf(notification.dueAt),
    expires: isoTimeIf(notification.expiresAt),
    source: notification.source,
    link: notification.actionUrl,
    metadata: notification.metadata === null ? undefined : JSON.stringify(notification.metadata),
  }
  return element('notification', attributes, body === null ? title : `${title}\n${body}`)
}

function stateOf({ dismissedAt, snoozedUntil, dueAt }: Notification, now: number): string | undefined {
  if (dismissedAt !== null) return 'dismissed'
  if (snoozedUntil === null || snoozedUntil <= now) return undefined
  return snoozedUntil === dueAt ? 'not due yet' : `snoozed until ${isoTime(snoozedUntil)}`
}
