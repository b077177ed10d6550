// Changes, pauses or deletes a recurring reminder. Deleting is a `write`: a schedule is one line that is easily made again,
// and the reply holds it.
import { Type } from 'typebox'
import type { ToolContext } from '../../../runtime/context.ts'
import { defineTool } from '../../../runtime/tool.ts'
import { correctable, nothingToChange, scheduleMissing } from '../faults.ts'
import { flag, id, text } from '../fields.ts'
import { firstDue } from '../policy/cron.ts'
import {
  changeSchedule,
  findSchedule,
  removeSchedule,
  type Schedule,
  type ScheduleChange,
} from '../queries/schedules.ts'
import { renderSchedule, scheduleLine } from '../render/schedules.ts'

export const updateSchedule = defineTool({
  name: 'update_schedule',
  summary: 'Change a recurring reminder',
  description:
    'Change a schedule (give at least one field): its task or time; enabled: false pauses it, true goes on; delete: true removes it and shows what it was.',
  input: Type.Object({
    id: id('From crow_list_schedules'),
    enabled: Type.Optional(Type.Boolean()),
    task: text(1000, 'Replaces the task'),
    cron_expression: text(50, 'Replaces the time'),
    delete: flag(false, 'Removes it; the other fields are then ignored'),
  }),
  effect: 'write',
  serializeBy: (input) => input.id,
  examples: [
    { id: 1, enabled: false },
    { id: 1, cron_expression: '30 8 * * *' },
  ],
  async handle(input, ctx) {
    const schedule = findSchedule(ctx.db, input.id)
    if (schedule === undefined) return scheduleMissing(input.id)
    if (input.delete === true) {
      const removed = await ctx.db.write(() => removeSchedule(ctx.db, input.id))
      return removed ? `Deleted:\n${renderSchedule(schedule)}` : scheduleMissing(input.id)
    }
    const { task, enabled, cron_expression: cron } = input
    const change: ScheduleChange = {
      ...(task !== undefined && { task }),
      ...(enabled !== undefined && { enabled }),
      ...(cron !== undefined && { cronExpression: cron.trim() }),
    }
    if (Object.keys(change).length === 0) return nothingToChange(['enabled', 'task', 'cron_expression', 'delete'])
    const next = await correctable(() => nextTime(ctx, schedule, change))
    const changed = await ctx.db.write(() => changeSchedule(ctx.db, input.id, { ...change, ...next }, ctx.clock.now()))
    return changed === undefined ? scheduleMissing(input.id) : `Updated: ${scheduleLine(changed, ctx.ports.timeZone)}.`
  },
})

/** A new expression, or going on after a pause, starts from now: what was missed while paused is not caught up. */
function nextTime(
  { clock, ports }: ToolContext,
  schedule: Schedule,
  change: ScheduleChange,
): Pick<ScheduleChange, 'nextRunAt'> {
  const resumed = change.enabled === true && !schedule.enabled
  if (change.cronExpression === undefined && !resumed) return {}
  return { nextRunAt: firstDue(change.cronExpression ?? schedule.cronExpression, ports.timeZone, clock.now()) }
}
