// Puts one notification before the person, now or once it is due.
import { Type } from 'typebox'
import { MINUTE_MS } from '../../../lib/time.ts'
import { fault } from '../../../runtime/fault.ts'
import { NAME } from '../../../runtime/schema/text-patterns.ts'
import { defineTool } from '../../../runtime/tool.ts'
import { requiredText, text } from '../fields.ts'
import { enabledTypes, insertNotification } from '../queries/notifications.ts'
import { isoTime } from '../render/time.ts'

const METADATA_CHARS_MAX = 5000
const YEAR_MINUTES = 525_600
/** Browsers read a backslash as a slash and drop tabs and line ends: with those, a path could become another host. */
const LINK = '^(?:https?://[^\\s\\\\]+|/(?![/\\\\])[^\\s\\\\]*)$'
/** Who makes notifications that no schedule made. */
const SOURCE = 'mcp:ai'

export const createNotification = defineTool({
  name: 'create_notification',
  summary: 'Notify the person',
  description:
    'Leave a notification that every client of this person sees in crow_check_notifications: now, or once after due_in_minutes. For recurring ones use crow_create_schedule.',
  input: Type.Object({
    title: requiredText(500, 'One line'),
    body: text(5000, 'Details'),
    type: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 50,
        pattern: NAME,
        default: 'reminder',
        description: 'reminder, media, peer, system, or your own',
      }),
    ),
    priority: Type.Optional(
      Type.Union([Type.Literal('low'), Type.Literal('normal'), Type.Literal('high')], { default: 'normal' }),
    ),
    action_url: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 1000,
        pattern: LINK,
        description: 'http(s) address, or a path of this gateway',
      }),
    ),
    metadata: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description: `For programs; at most ${METADATA_CHARS_MAX} characters as JSON`,
      }),
    ),
    due_in_minutes: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 10 * YEAR_MINUTES, description: 'Appears then, not now' }),
    ),
    expires_in_minutes: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 10 * YEAR_MINUTES,
        description: 'Disappears by itself so long after it appeared',
      }),
    ),
  }),
  effect: 'write',
  serializeBy: null,
  examples: [
    { title: 'The build is green again' },
    { title: 'Take the bread out', due_in_minutes: 45 },
    {
      title: 'Call Ana',
      body: 'About the contract',
      priority: 'high',
      expires_in_minutes: 120,
      action_url: 'https://example.org/ana',
    },
  ],
  async handle(input, { clock, db }) {
    const type = input.type ?? 'reminder'
    const priority = input.priority ?? 'normal'
    if (JSON.stringify(input.metadata ?? {}).length > METADATA_CHARS_MAX) {
      return fault('VALIDATION_ERROR', `metadata is longer than ${METADATA_CHARS_MAX} characters as JSON.`, {
        recovery: 'Leave out what no program needs, or put the text into body.',
      })
    }
    const now = clock.now()
    const dueAt = input.due_in_minutes === undefined ? undefined : now + input.due_in_minutes * MINUTE_MS
    const id = await db.write(() => {
      if (enabledTypes(db)?.includes(type) === false) return undefined
      const expiresAt =
        input.expires_in_minutes === undefined ? null : (dueAt ?? now) + input.expires_in_minutes * MINUTE_MS
      return insertNotification(
        db,
        {
          type,
          priority,
          expiresAt,
          title: input.title,
          body: input.body ?? null,
          source: SOURCE,
          actionUrl: input.action_url ?? null,
          metadata: input.metadata ?? null,
          ...(dueAt !== undefined && { dueAt, snoozedUntil: dueAt }),
        },
        now,
      )
    })
    if (id === undefined) {
      return `Not created: notifications of type ${JSON.stringify(type)} are switched off. crow_notification_settings shows and changes which are on.`
    }
    const when = dueAt === undefined ? '' : `, appears at ${isoTime(dueAt)}`
    return `Created: id ${id}, type ${type}, priority ${priority}${when}.`
  },
})
