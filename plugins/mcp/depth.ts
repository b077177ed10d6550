// Refuses JSON nested so deep that something further on could run out of stack on it.
import type { IncomingHttpHeaders } from 'node:http'
import { readableId, refuse, type Answer } from '../../src/mcp/answer.ts'
import { CODE } from '../../src/mcp/protocol.ts'

const LEVELS_MAX = 512

/** A body of this many bytes cannot nest too deep: every level takes an opening and a closing bracket. */
const SAFE_BYTES = 2 * LEVELS_MAX

export function isTooDeep(headers: IncomingHttpHeaders, body: unknown): boolean {
  const length = headers['content-length']
  return length !== undefined && Number(length) <= SAFE_BYTES ? false : exceeds(body, LEVELS_MAX)
}

export const tooDeep = (body: unknown): Answer =>
  refuse(400, CODE.invalidRequest, `Invalid Request: JSON nested deeper than ${LEVELS_MAX} levels`, {
    id: readableId(body),
  })

/** Level by level, without recursion. */
function exceeds(body: unknown, levelsMax: number): boolean {
  let level: object[] = typeof body === 'object' && body !== null ? [body] : []
  for (let depth = 0; level.length > 0; depth++) {
    if (depth >= levelsMax) return true
    const next: object[] = []
    for (const node of level)
      for (const child of Object.values(node)) if (typeof child === 'object' && child !== null) next.push(child)
    level = next
  }
  return false
}
