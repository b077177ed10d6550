// Input fields that several tools share, so that one name means one thing everywhere.
import { Type } from 'typebox'
import { NAME, NOT_BLANK } from '../../runtime/schema/text-patterns.ts'
import { TAG_CHARS_MAX, TAGS_MAX } from './policy/tags.ts'

/** Id of an existing row. */
export const id = (description: string) => Type.Integer({ minimum: 1, description })

/** A name that is compared exactly and given again later. */
export const requiredName = (maxLength: number, description: string) =>
  Type.String({ minLength: 1, maxLength, pattern: NAME, description })

export const name = (maxLength: number, description: string) => Type.Optional(requiredName(maxLength, description))

export const category = name(
  500,
  'general, project, preference, person, process, decision, learning, goal, or a word of your own',
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

export const tag = Type.Optional(
  Type.String({ minLength: 1, maxLength: 500, description: 'Exactly this tag, as lists show it' }),
)

export const projectOf = (description: string) => Type.Optional(Type.Integer({ minimum: 1, description }))

export const projectId = projectOf('Only this project')

export const instanceId = name(100, 'Only from this instance')

export const deviceId = name(200, 'Override for this device')

export const sectionProject = projectOf('Override for this project')

export const sortOrder = Type.Optional(
  Type.Integer({ minimum: -1_000_000, maximum: 1_000_000, description: 'Place in crow.md, lowest first' }),
)

export const limit = (maximum: number, fallback: number) =>
  Type.Optional(Type.Integer({ minimum: 1, maximum, default: fallback }))

export const cursor = Type.Optional(
  Type.String({ minLength: 1, maxLength: 600, description: 'next_cursor of the page before' }),
)

/** Text that is kept. Spaces alone would replace something by nothing that anybody can see. */
export const requiredText = (maxLength: number, description: string) =>
  Type.String({ minLength: 1, maxLength, pattern: NOT_BLANK, description })

export const text = (maxLength: number, description: string) => Type.Optional(requiredText(maxLength, description))

/** What to look for: any text. */
export const question = (maxLength: number, description: string) =>
  Type.String({ minLength: 1, maxLength, description })

export const flag = (fallback: boolean, description: string) =>
  Type.Optional(Type.Boolean({ default: fallback, description }))
