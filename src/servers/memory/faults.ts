// The faults that several tools share: one policy for what is not there, with the tool that finds it.
import { GatewayError } from '../../errors.ts'
import { fault, ToolFault } from '../../runtime/fault.ts'
import { scopeName, type Scope } from './policy/sections.ts'

export function memoryMissing(id: number): ToolFault {
  return fault('NOT_FOUND', `There is no memory with id ${id}.`, {
    recovery: 'Find the right id with crow_search_memories or crow_list_memories.',
    availableActions: ['search_memories', 'list_memories'],
  })
}

export function scheduleMissing(id: number): ToolFault {
  return fault('NOT_FOUND', `There is no schedule with id ${id}.`, {
    recovery: 'Find the right id with crow_list_schedules.',
    availableActions: ['list_schedules'],
  })
}

export function notificationMissing(id: number): ToolFault {
  return fault('NOT_FOUND', `There is no notification with id ${id}; it may have expired.`, {
    recovery: 'See what there is with crow_check_notifications, unread_only: false.',
    availableActions: ['check_notifications'],
  })
}

export function sectionMissing(key: string, scope: Scope): ToolFault {
  return fault('NOT_FOUND', `There is no section ${JSON.stringify(key)} in the scope ${scopeName(scope)}.`, {
    recovery: 'See the keys with crow_list_context_sections, or add the section with crow_add_context_section.',
    availableActions: ['list_context_sections', 'add_context_section'],
  })
}

export function dreamMissing(id: number): ToolFault {
  return fault('NOT_FOUND', `There is no merge ${id} that can be undone.`, {
    recovery: 'Use the number that crow_dream gave after merging; a merge can be undone once, within 30 days.',
    availableActions: ['dream'],
  })
}

/** What was to be destroyed is not what the preview showed any more. */
export function changedSincePreview(): ToolFault {
  return fault('CONFIRM_INVALID', 'The item has changed since the preview, so nothing was deleted.')
}

/** Nothing but the key of the item was given, so there is nothing to change. */
export function nothingToChange(fields: readonly string[]): ToolFault {
  return fault('VALIDATION_ERROR', 'Nothing to change: no field was given.', {
    recovery: `Give at least one of ${fields.join(', ')}.`,
  })
}

/** Runs a step whose rule violations (a cron expression, a foreign cursor) are the caller's to correct. */
export async function correctable<T>(step: () => T | Promise<T>): Promise<T> {
  try {
    return await step()
  } catch (error) {
    if (!(error instanceof GatewayError) || error instanceof ToolFault || error.kind !== 'invalid') throw error
    throw fault('VALIDATION_ERROR', error.message, error.hint === undefined ? {} : { recovery: error.hint })
  }
}
