// Turns the strings of an environment into typed values by the table, and says in one sentence each what is wrong with them.
import { Environment, type EnvironmentValues, type Setting, type SettingName } from './environment.ts'

export type RawEnvironment = Readonly<Record<string, string | undefined>>

/** What of a schema this file looks at; every schema of the table has this shape. */
interface Shape {
  type?: string
  enum?: readonly string[]
  minimum?: number
  maximum?: number
  default?: string | number | boolean | readonly string[]
  description?: string
  otherwise?: string
  secret?: boolean
  carried?: boolean
}

const isSetting = (name: string): name is SettingName => Object.hasOwn(Environment.properties, name)
const shapes = Object.entries<Shape>(Environment.properties).flatMap(([name, shape]) =>
  isSetting(name) ? [{ name, shape }] : [],
)

/** The table as lines for a reference page, in the order of the table. */
export const settings: readonly Setting[] = shapes.map(({ name, shape }) => ({
  name,
  form: formOf(shape),
  fallback: shape.otherwise ?? fallbackOf(shape.default),
  description: shape.description ?? '',
  secret: shape.secret === true,
  carried: shape.carried === true,
}))

/**
 * Reads the known variables; empty ones count as unset. Defaults of the table are filled in.
 * @param labelOf what the user wrote a value as (a flag or a variable), for the sentences
 * @returns the values that could be read, and a sentence for each that could not
 */
export function readEnvironment(
  raw: RawEnvironment,
  labelOf: (name: SettingName) => string,
): { values: EnvironmentValues; problems: string[] } {
  const problems: string[] = []
  const found: Record<string, unknown> = {}
  for (const { name, shape } of shapes) {
    const written = raw[name]?.trim()
    if (written === undefined || written === '') {
      if (shape.default !== undefined) found[name] = shape.default
      continue
    }
    const value = valueOf(written, shape)
    if (value === undefined)
      problems.push(
        `${labelOf(name)} must be ${formOf(shape)}${shape.secret ? '' : `, not ${JSON.stringify(written.slice(0, 80))}`}.`,
      )
    else found[name] = value
  }
  // The parse boundary: every value above was checked against its own schema.
  return { values: found, problems }
}

/** How a written value is understood, as text: a word of a list in the case of the list, a flag as 1 or 0. */
export function effectiveText(name: SettingName, written: string): string {
  const shape: Shape = Environment.properties[name]
  const value = valueOf(written, shape)
  if (typeof value === 'boolean') return value ? '1' : '0'
  return typeof value === 'string' ? value : written
}

function valueOf(written: string, shape: Shape): unknown {
  switch (shape.type) {
    case 'integer': {
      const value = /^\d{1,15}$/.test(written) ? Number(written) : undefined
      return value !== undefined && value >= (shape.minimum ?? 0) && value <= (shape.maximum ?? Infinity)
        ? value
        : undefined
    }
    case 'boolean':
      return /^(1|true|yes|on)$/i.test(written) ? true : /^(0|false|no|off)$/i.test(written) ? false : undefined
    case 'array':
      return written.split(/[\s,]+/).filter((item) => item !== '')
    case undefined:
      return shape.enum?.find((word) => word === written.toLowerCase())
    default:
      return written.length <= 4096 ? written : undefined
  }
}

function formOf(shape: Shape): string {
  if (shape.enum) return `${shape.enum.slice(0, -1).join(', ')} or ${shape.enum.at(-1)}`
  if (shape.type === 'integer') return `a whole number from ${shape.minimum} to ${shape.maximum}`
  if (shape.type === 'boolean') return '1 or 0'
  return shape.type === 'array' ? 'a list, separated by commas' : 'a text of at most 4096 characters'
}

function fallbackOf(value: Shape['default']): string {
  if (value === undefined || Array.isArray(value)) return 'unset'
  return typeof value === 'boolean' ? (value ? '1' : '0') : String(value)
}
