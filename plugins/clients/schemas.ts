// The shapes that both halves of the API share: parts of lists, times, keys, counts.
import { Type, type TSchema } from 'typebox'
import { CURSOR_FORM } from '../../src/lib/paging.ts'

const LIMIT = 50

/** What a list is asked with. */
export const List = Type.Object({
  limit: Type.Integer({ minimum: 1, maximum: 200, default: LIMIT, description: 'Rows at most.' }),
  cursor: Type.Optional(Type.String({ pattern: CURSOR_FORM, description: 'The `next` of the answer before.' })),
})

/** One part of a list. */
export const partOf = <Row extends TSchema>(row: Row) =>
  Type.Object({
    items: Type.Array(row),
    total: Type.Integer({ description: 'Rows of all parts.' }),
    next: Type.Union([Type.String(), Type.Null()], { description: 'Cursor of the next part; null after the last.' }),
  })

export const Time = Type.String({ description: 'UTC, ISO 8601.' })
export const TimeOrNever = Type.Union([Time, Type.Null()])
export const Numbered = Type.Object({ id: Type.Integer({ minimum: 1 }) })
export const Keyed = Type.Object({ key: Type.String({ pattern: '^[0-9a-f]{32}$' }) })
export const Gone = Type.Null({ description: 'Done.' })

const Host = Type.Union([Type.String(), Type.Null()], {
  description: 'Host of the metadata document that vouches for the name; null for a client that registered.',
})
export const Scopes = Type.Array(Type.Object({ scope: Type.String(), sentence: Type.String() }))
export const Client = Type.Object({ id: Type.String(), name: Type.String(), host: Host })
export const Count = (name: string) => Type.Integer({ description: `How many there were that are ${name} now.` })

export const isoOf = (at: number): string => new Date(at).toISOString()
export const isoOrNull = (at: number | null): string | null => (at === null ? null : isoOf(at))
