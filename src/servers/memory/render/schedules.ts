// Renders one schedule: as a row of a list, and as the line that answers a change.
import type { Schedule } from '../queries/schedules.ts'
import { element } from './fence.ts'
import { isoTimeIf } from './time.ts'

/** `id 1, 0 9 * * * (Europe/Madrid), next 2026-01-16T08:00Z` */
export function scheduleLine(
  { id, cronExpression, enabled, nextRunAt }: Pick<Schedule, 'id' | 'cronExpression' | 'enabled' | 'nextRunAt'>,
  zone: string,
): string {
  const next = enabled ? `next ${isoTimeIf(nextRunAt) ?? 'never'}` : 'disabled'
  return `id ${id}, ${cronExpression} (${zone}), ${next}`
}

export function renderSchedule(schedule: Schedule): string {
  const attributes = {
    id: schedule.id,
    cron: schedule.cronExpression,
    state: schedule.enabled ? undefined : 'disabled',
    next: schedule.enabled ? isoTimeIf(schedule.nextRunAt) : undefined,
    last: isoTimeIf(schedule.lastRunAt),
    description: schedule.description,
  }
  return element('schedule', attributes, schedule.task)
}
