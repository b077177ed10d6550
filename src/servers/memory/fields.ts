// Input fields that several tools share, so that one name means one thing everywhere.
import { Type } from 'typebox'
import { TAG_CHARS_MAX, TAGS_MAX } from './policy/tags.ts'

/** Id of an existing row. */
export const id = (description: string) => Type.Integer({ minimum: 1, description })

export const category = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: 500,
    description: 'general, project, preference, person, process, decision, learning, goal, or a word of your own',
  }),
)

export const importance = Type.Optional(
  Type.Integer({ minimum: 1, maximum: 10, description: '1 passing … 10 must never be forgotten' }),
)

export const importanceMin = Type.Optional(
  Type.Integer({ minimum: 1, maximum: 10, description: 'Leave out less important ones' }),
)

export const tags = (description: string) =>
  Type.Optional(
    Type.Union(
      [
        Type.String({ minLength: 1, maxLength: 500 }),
        Type.Array(Type.String({ minLength: 1, maxLength: TAG_CHARS_MAX }), { maxItems: TAGS_MAX }),
      ],
      { description },
    ),
  )

export const tag = Type.Optional(Type.String({ minLength: 1, maxLength: 500, description: 'Exactly this tag' }))

export const projectId = Type.Optional(Type.Integer({ minimum: 1, description: 'Only this project' }))

export const instanceId = Type.Optional(
  Type.String({ minLength: 1, maxLength: 100, description: 'Only from this instance' }),
)

export const deviceId = Type.Optional(
  Type.String({ minLength: 1, maxLength: 200, description: 'Override for this device' }),
)

export const sectionProject = Type.Optional(Type.Integer({ minimum: 1, description: 'Override for this project' }))

export const sortOrder = Type.Optional(
  Type.Integer({ minimum: -1_000_000, maximum: 1_000_000, description: 'Place in crow.md, lowest first' }),
)

export const limit = (maximum: number, fallback: number) =>
  Type.Optional(Type.Integer({ minimum: 1, maximum, default: fallback }))

export const cursor = Type.Optional(
  Type.String({ minLength: 1, maxLength: 600, description: 'next_cursor of the page before' }),
)

/** Optional text of at most so many characters. */
export const text = (maxLength: number, description: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength, description }))

/** Text that must be given. */
export const requiredText = (maxLength: number, description: string) =>
  Type.String({ minLength: 1, maxLength, description })

export const flag = (fallback: boolean, description: string) =>
  Type.Optional(Type.Boolean({ default: fallback, description }))
