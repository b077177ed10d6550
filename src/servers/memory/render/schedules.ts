// Renders one schedule.
import type { Schedule } from '../queries/schedules.ts'
import { element } from './fence.ts'
import { isoTimeOr } from './time.ts'

export function renderSchedule(schedule: Schedule): string {
  const attributes = {
    id: schedule.id,
    cron: schedule.cronExpression,
    state: schedule.enabled ? 'enabled' : 'disabled',
    next: schedule.enabled ? isoTimeOr(schedule.nextRunAt, 'never') : undefined,
    last: isoTimeOr(schedule.lastRunAt, 'never'),
    description: schedule.description,
  }
  return element('schedule', attributes, schedule.task)
}
