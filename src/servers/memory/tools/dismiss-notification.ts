// Dismisses one notification, or hides it for a while. A `write`: dismissed ones stay visible on request and can be snoozed back.
import { Type } from 'typebox'
import { MINUTE_MS } from '../../../lib/time.ts'
import { defineTool } from '../../../runtime/tool.ts'
import { notificationMissing } from '../faults.ts'
import { id } from '../fields.ts'
import { markDismissed, markSnoozed } from '../queries/notifications.ts'
import { isoTime } from '../render/time.ts'

const YEAR_MINUTES = 525_600

export const dismissNotification = defineTool({
  name: 'dismiss_notification',
  summary: 'Dismiss or snooze',
  description: 'Dismiss a notification, or with snooze_minutes hide it and let it come back after that time.',
  input: Type.Object({
    id: id('From crow_check_notifications'),
    snooze_minutes: Type.Optional(
      Type.Integer({ minimum: 1, maximum: YEAR_MINUTES, description: 'Comes back after so long' }),
    ),
  }),
  effect: 'write',
  serializeBy: (input) => input.id,
  examples: [{ id: 1, snooze_minutes: 30 }, { id: 1 }],
  async handle(input, { clock, db }) {
    const now = clock.now()
    if (input.snooze_minutes === undefined) {
      const dismissed = await db.write(() => markDismissed(db, input.id, now))
      return dismissed ? `Dismissed: id ${input.id}.` : notificationMissing(input.id)
    }
    const until = now + input.snooze_minutes * MINUTE_MS
    const snoozed = await db.write(() => markSnoozed(db, input.id, until, now))
    return snoozed ? `Snoozed: id ${input.id} comes back at ${isoTime(until)}.` : notificationMissing(input.id)
  },
})
