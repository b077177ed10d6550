// Shows what waits for the person. Looking changes nothing.
import { Type } from 'typebox'
import { defineTool } from '../../../runtime/tool.ts'
import { cursor, flag, limit, name } from '../fields.ts'
import { listKey, readCursor, writeCursor } from '../policy/cursor.ts'
import { countUnread, notificationPage } from '../queries/notifications.ts'
import { DATA_NOTE } from '../render/fence.ts'
import { renderNotification } from '../render/notifications.ts'
import { renderPage } from '../render/page.ts'

export const checkNotifications = defineTool({
  name: 'check_notifications',
  summary: 'See what is waiting',
  description:
    'Show notifications that wait, most urgent first. Looking does not dismiss them: tell the person, then crow_dismiss_notification, or snooze it.',
  input: Type.Object({
    unread_only: flag(true, 'false also shows dismissed, snoozed and not yet due ones'),
    type: name(50, 'Only reminder, media, peer, system, or a type of your own'),
    limit: limit(100, 20),
    cursor,
  }),
  effect: 'read',
  examples: [{}, { unread_only: false, type: 'reminder', limit: 5 }],
  handle(input, ctx) {
    const unreadOnly = input.unread_only ?? true
    const now = ctx.clock.now()
    const key = listKey('notifications', { unreadOnly, type: input.type })
    const after = readCursor(key, input.cursor, 3)
    const { rows, next } = notificationPage(ctx.db, {
      unreadOnly,
      type: input.type,
      now,
      limit: input.limit ?? 20,
      after,
    })
    const ofType = input.type === undefined ? '' : ` of type ${JSON.stringify(input.type)}`
    if (rows.length === 0) {
      if (after !== undefined) return 'No more notifications.'
      return unreadOnly ? `Nothing${ofType} is waiting.` : `There is no notification${ofType}.`
    }
    const head = `${countUnread(ctx.db, input.type, now)}${ofType} waiting. ${DATA_NOTE}`
    return renderPage(
      head,
      rows.map((row) => renderNotification(row, now)),
      next && writeCursor(key, next),
    )
  },
})
