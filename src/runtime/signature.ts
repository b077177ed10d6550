// How a tool is called, on one line: for error texts, discovery and docs.
import { fieldsText } from './schema/describe.ts'
import type { ObjectShape } from './schema/shape.ts'

/** `search_memories(query: string, limit?: integer 1..100 = 10)`, with a note where exactly one of several is needed. */
export function signatureOf(name: string, shape: ObjectShape, oneOf: readonly string[] | undefined): string {
  const condition = oneOf === undefined ? '' : ` with exactly one of ${oneOf.join(', ')}`
  return `${name}(${fieldsText(shape)})${condition}`
}
