// Untrusted parameters become a clean, fresh input object, or a fault that says field by field what is wrong.
import { isRecord } from '../../lib/json.ts'
import type { CompiledTool } from '../compiled.ts'
import { fault, type ToolFault } from '../fault.ts'
import { explain, type Issue } from '../schema/explain.ts'
import { REFUSED } from '../schema/parser.ts'
import { CONFIRM_FIELD, MORE_FIELD } from '../wire-schema.ts'

export interface Checked {
  readonly input: Record<string, unknown>
  readonly confirmToken: string | undefined
}
/** The caller asks for the rest of an earlier reply instead of a new call. */
export interface Continuation {
  readonly more: string
}

const nothing: Record<string, never> = Object.freeze({})

export function check(tool: CompiledTool, params: unknown): Checked | Continuation | ToolFault {
  const given = params ?? nothing
  if (!isRecord(given)) return fault('VALIDATION_ERROR', 'The arguments must be an object.')
  let fields = given
  let confirmToken: string | undefined
  if (given[MORE_FIELD] !== undefined && tool.continues && Object.hasOwn(given, MORE_FIELD)) {
    const more = given[MORE_FIELD]
    if (typeof more === 'string' && more !== '') return { more }
    if (more !== null && more !== '')
      return fault('VALIDATION_ERROR', `${MORE_FIELD}: must be the text that the earlier reply named`)
    fields = without(fields, MORE_FIELD)
  }
  if (tool.effect === 'destroy' && Object.hasOwn(fields, CONFIRM_FIELD)) {
    const token = fields[CONFIRM_FIELD]
    if (typeof token === 'string') confirmToken = token === '' ? undefined : token
    else if (token !== null && token !== undefined)
      return fault('VALIDATION_ERROR', `${CONFIRM_FIELD}: must be a string`)
    fields = without(fields, CONFIRM_FIELD)
  }
  const input = tool.parse(fields)
  if (input === REFUSED || !isRecord(input)) return refusal(tool, explain(tool.shape, fields))
  const problem = tool.oneOf === undefined ? undefined : oneOfProblem(tool.oneOf, input)
  return problem ?? { input, confirmToken }
}

function without(fields: Record<string, unknown>, name: string): Record<string, unknown> {
  const { [name]: _dropped, ...rest } = fields
  return rest
}

function oneOfProblem(names: readonly string[], input: Record<string, unknown>): ToolFault | undefined {
  const present = names.filter((name) => input[name] !== undefined)
  if (present.length === 1) return undefined
  if (present.length === 0)
    return fault('MISSING_REQUIRED_FIELD', `Give exactly one of ${names.join(', ')}; none was given.`)
  return fault('VALIDATION_ERROR', `Give exactly one of ${names.join(', ')}; given were ${present.join(' and ')}.`)
}

function refusal(tool: CompiledTool, issues: readonly Issue[]): ToolFault {
  const lines = issues.map((issue) =>
    issue.path === '' ? `The arguments: ${issue.message}` : `${issue.path}: ${issue.message}`,
  )
  const onlyMissing = issues.length > 0 && issues.every((issue) => issue.kind === 'missing')
  const message = lines.length === 0 ? `The arguments do not fit ${tool.name}.` : lines.join('\n')
  return fault(onlyMissing ? 'MISSING_REQUIRED_FIELD' : 'VALIDATION_ERROR', message)
}
