// Creates a recurring reminder: whatever the task says, a notification appears each time it is due.
import { Type } from 'typebox'
import { fault } from '../../../runtime/fault.ts'
import { defineTool } from '../../../runtime/tool.ts'
import { correctable } from '../faults.ts'
import { requiredText, text } from '../fields.ts'
import { firstDue } from '../policy/cron.ts'
import { countSchedules, insertSchedule, SCHEDULES_MAX } from '../queries/schedules.ts'
import { scheduleLine } from '../render/schedules.ts'

export const createSchedule = defineTool({
  name: 'create_schedule',
  summary: 'Create a recurring reminder',
  description:
    'Remind at recurring times: each time it is due, one notification with the task appears in crow_check_notifications. For a single reminder use crow_create_notification with due_in_minutes.',
  input: Type.Object({
    task: requiredText(1000, 'What to be reminded of'),
    cron_expression: requiredText(
      50,
      'minute hour day month weekday, in the zone of the gateway: "0 9 * * 1-5" is nine on working days; or @daily, @weekly, @monthly',
    ),
    description: text(500, 'Why, for the list'),
  }),
  effect: 'write',
  serializeBy: null,
  examples: [
    { task: 'Water the plants', cron_expression: '0 18 * * 1,4' },
    { task: 'Write the weekly report', cron_expression: '@weekly' },
  ],
  async handle(input, ctx) {
    const { clock, db, ports } = ctx
    const nextRunAt = await correctable(() => firstDue(input.cron_expression, ports.timeZone, clock.now()))
    const schedule = {
      task: input.task,
      cronExpression: input.cron_expression.trim(),
      description: input.description ?? null,
      nextRunAt,
    }
    const id = await db.write(() => {
      if (countSchedules(db) >= SCHEDULES_MAX) throw full()
      return insertSchedule(db, schedule, clock.now())
    })
    return `Scheduled: ${scheduleLine({ ...schedule, id, enabled: true }, ports.timeZone)}.`
  },
})

function full() {
  return fault('CONFLICT', `There are ${SCHEDULES_MAX} schedules already; more are not kept.`, {
    recovery: 'Delete one with crow_update_schedule and delete: true.',
    availableActions: ['list_schedules', 'update_schedule'],
  })
}
