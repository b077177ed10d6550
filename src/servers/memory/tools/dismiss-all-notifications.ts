// Dismisses everything that waits, or part of it. A `write`, like dismissing one.
import { Type } from 'typebox'
import { fault } from '../../../runtime/fault.ts'
import { defineTool } from '../../../runtime/tool.ts'
import { name } from '../fields.ts'
import { markAllDismissed } from '../queries/notifications.ts'
import { counted } from '../render/page.ts'

export const dismissAllNotifications = defineTool({
  name: 'dismiss_all_notifications',
  summary: 'Dismiss all notifications',
  description: 'Dismiss every notification that waits or is snoozed; narrow it by type and by time of creation.',
  input: Type.Object({
    type: name(50, 'Only this type'),
    before: Type.Optional(
      Type.Union([Type.String({ format: 'date-time' }), Type.String({ format: 'date' })], {
        description: 'Only those created before this time: 2026-01-31T12:00Z, or a date (midnight UTC)',
      }),
    ),
  }),
  effect: 'write',
  examples: [{ type: 'media' }, { before: '2026-01-31T12:00Z' }, { before: '2026-01-31' }],
  async handle(input, { clock, db }) {
    const before = input.before === undefined ? undefined : Date.parse(input.before)
    if (Number.isNaN(before)) {
      return fault('VALIDATION_ERROR', `before is not a time: ${JSON.stringify(input.before)}.`, {
        recovery: 'Give ISO 8601 with a zone, such as 2026-01-31T12:00Z, or a date.',
      })
    }
    const dismissed = await db.write(() => markAllDismissed(db, { type: input.type, before }, clock.now()))
    return `Dismissed ${counted(dismissed, 'notification')}.`
  },
})
