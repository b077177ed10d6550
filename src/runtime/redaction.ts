// Masks declared paths in data that is about to leave. Every path is proved against the schema at compile time: a path
// that could silently match nothing is an error, not a warning.
import { isRecord } from '../lib/json.ts'
import { CompileError } from './compile-error.ts'
import type { Shape } from './schema/shape.ts'

const MASK = '[redacted]'

export interface Redaction {
  /** Changes `value` in place and returns it; give it a copy. */
  apply(value: unknown): unknown
}

/** @param typed the masked field must still be a string for the output schema */
export function compileRedaction(
  shape: Shape,
  paths: readonly string[],
  mask: string = MASK,
  where: string,
  typed: boolean,
): Redaction {
  const routes = paths.map((path) => {
    const segments = path.split('.')
    const leaves = leavesAt(shape, segments)
    if (path === '' || leaves.length === 0)
      throw new CompileError(where, `redact path "${path}" is not in the presenter's schema`)
    if (typed && !leaves.every(holdsText)) {
      throw new CompileError(where, `redact path "${path}" is not a string, so its mask would break the output schema`)
    }
    return segments
  })
  if (typeof mask !== 'string' || mask === '') throw new CompileError(where, 'the mask must be a text')
  return {
    apply(value) {
      for (const segments of routes) maskAt(value, segments, 0, mask)
      return value
    },
  }
}

function leavesAt(shape: Shape, segments: readonly string[]): Shape[] {
  const [head, ...rest] = segments
  if (head === undefined) return [shape]
  switch (shape.kind) {
    case 'object': {
      const field = shape.fields.find((candidate) => candidate.name === head)
      return field === undefined ? [] : leavesAt(field.shape, rest)
    }
    case 'array':
      return head === '*' ? leavesAt(shape.items, rest) : []
    case 'record':
      return leavesAt(shape.values, rest)
    case 'union':
      return shape.options.flatMap((option) => leavesAt(option, segments))
    default:
      return []
  }
}

function holdsText(shape: Shape): boolean {
  return shape.kind === 'string' && shape.format === undefined && shape.pattern === undefined && shape.max === Infinity
}

function maskAt(value: unknown, segments: readonly string[], depth: number, mask: string): void {
  const segment = segments[depth]
  if (segment === undefined || typeof value !== 'object' || value === null) return
  const keys = segment === '*' ? Object.keys(value) : isRecord(value) && Object.hasOwn(value, segment) ? [segment] : []
  for (const key of keys) {
    const child: unknown = Reflect.get(value, key)
    if (depth < segments.length - 1) maskAt(child, segments, depth + 1, mask)
    else if (child !== undefined && child !== null) Reflect.set(value, key, mask)
  }
}
