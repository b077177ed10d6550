// Lists recurring reminders, newest first.
import { Type } from 'typebox'
import { defineTool } from '../../../runtime/tool.ts'
import { cursor, flag, limit } from '../fields.ts'
import { listKey, readCursor, writeCursor } from '../policy/cursor.ts'
import { schedulePage } from '../queries/schedules.ts'
import { renderPage } from '../render/page.ts'
import { renderSchedule } from '../render/schedules.ts'
import { DATA_NOTE } from '../render/fence.ts'

export const listSchedules = defineTool({
  name: 'list_schedules',
  summary: 'List recurring reminders',
  description:
    'List recurring reminders with their last and next time (UTC). Change or delete one with crow_update_schedule.',
  input: Type.Object({
    enabled_only: flag(false, 'Leave out those switched off'),
    limit: limit(100, 20),
    cursor,
  }),
  effect: 'read',
  examples: [{}, { enabled_only: true }],
  handle(input, ctx) {
    const enabledOnly = input.enabled_only ?? false
    const key = listKey('schedules', { enabledOnly })
    const after = readCursor(key, input.cursor, 1)
    const { rows, next } = schedulePage(ctx.db, { enabledOnly, limit: input.limit ?? 20, after })
    if (rows.length === 0) return after === undefined ? 'There are no schedules.' : 'No more schedules.'
    const head = `Schedules, newest first; cron in ${ctx.ports.timeZone}. ${DATA_NOTE}`
    return renderPage(head, rows.map(renderSchedule), next && writeCursor(key, next))
  },
})
