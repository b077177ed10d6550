// Which types of notification are made at all.
import { Type } from 'typebox'
import { fault } from '../../../runtime/fault.ts'
import { NAME } from '../../../runtime/schema/text-patterns.ts'
import { defineTool } from '../../../runtime/tool.ts'
import { enabledTypes, saveEnabledTypes } from '../queries/notifications.ts'

const TYPES_MAX = 100

export const notificationSettings = defineTool({
  name: 'notification_settings',
  summary: 'Choose notification types',
  description:
    'See (get) or choose (set, with types_enabled) which types of notification are made; others are dropped and say so. Schedules make type reminder.',
  input: Type.Object({
    action: Type.Union([Type.Literal('get'), Type.Literal('set')]),
    types_enabled: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 50, pattern: NAME }), {
        maxItems: TYPES_MAX,
        description: 'Required for set: reminder, media, peer, system and your own; [] for none',
      }),
    ),
  }),
  effect: 'write',
  examples: [{ action: 'get' }, { action: 'set', types_enabled: ['reminder', 'media', 'peer', 'system'] }],
  async handle(input, { clock, db }) {
    if (input.action === 'get') return describe(enabledTypes(db))
    const types = input.types_enabled
    if (types === undefined) {
      return fault('MISSING_REQUIRED_FIELD', 'set needs types_enabled.', {
        recovery: 'Add types_enabled, for example ["reminder", "media", "peer", "system"].',
      })
    }
    const distinct = [...new Set(types)]
    await db.write(() => saveEnabledTypes(db, distinct, clock.now()))
    return describe(distinct)
  },
})

function describe(types: readonly string[] | undefined): string {
  if (types === undefined) return 'Every type of notification is on.'
  if (types.length === 0) return 'No notification is made: every type is off.'
  return `On: ${types.map((type) => JSON.stringify(type)).join(', ')}. Every other type is off.`
}
