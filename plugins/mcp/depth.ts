// Refuses JSON so deep, or of so many values, that something further on could run out of stack or of time on it.
import type { IncomingHttpHeaders } from 'node:http'
import { readableId, refuse, type Answer } from '../../src/mcp/answer.ts'
import { CODE } from '../../src/mcp/protocol.ts'

const LEVELS_MAX = 512
/** Texts fill a body long before this many values do. */
const VALUES_MAX = 100_000

/** A body of this many bytes cannot nest too deep: every level takes an opening and a closing bracket. */
const SAFE_BYTES = 2 * LEVELS_MAX

/** The refusal of a body that is too much to walk through, else undefined. */
export function excessRefusal(headers: IncomingHttpHeaders, body: unknown): Answer | undefined {
  const length = headers['content-length']
  if (length !== undefined && Number(length) <= SAFE_BYTES) return undefined
  const excess = excessOf(body)
  return excess === undefined
    ? undefined
    : refuse(400, CODE.invalidRequest, `Invalid Request: JSON ${excess}`, { id: readableId(body) })
}

/** Level by level, without recursion, and no further than a bound. */
function excessOf(body: unknown): string | undefined {
  let level: object[] = isNode(body) ? [body] : []
  let values = 0
  for (let depth = 0; level.length > 0; depth++) {
    if (depth >= LEVELS_MAX) return `nested deeper than ${LEVELS_MAX} levels`
    const next: object[] = []
    for (const node of level) {
      const children: unknown[] = Array.isArray(node) ? node : Object.values(node)
      values += children.length
      if (values > VALUES_MAX) return `of more than ${VALUES_MAX} values`
      for (const child of children) if (isNode(child)) next.push(child)
    }
    level = next
  }
  return undefined
}

const isNode = (value: unknown): value is object => typeof value === 'object' && value !== null
