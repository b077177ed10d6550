// Decides where a list goes on. A cursor holds the sort values of the last row shown and the id of the question it belongs to,
// so that a row added or removed in between is neither repeated nor lost, and a cursor cannot continue another list.
import { createHash } from 'node:crypto'
import { fault } from '../../../runtime/fault.ts'

/** Sort values of the last row of a page, most significant first; the last one is unique. */
export type Position = readonly (number | null)[]

/** Which list a cursor belongs to: its name and every parameter that decides its rows or their order. */
export function listKey(list: string, parameters: Record<string, unknown>): string {
  const given = Object.entries(parameters).filter(([, value]) => value !== undefined && value !== null && value !== '')
  const text = JSON.stringify([list, given.toSorted(([left], [right]) => (left < right ? -1 : 1))])
  return createHash('sha256').update(text).digest('base64url').slice(0, 8)
}

/** The opaque text that continues a list after a position. */
export function writeCursor(key: string, position: Position): string {
  return Buffer.from(JSON.stringify([key, ...position])).toString('base64url')
}

/**
 * The position a cursor stands for, or `undefined` at the start of a list.
 * @throws ToolFault VALIDATION_ERROR for a cursor of another list, of other filters, or one that was altered
 */
export function readCursor(key: string, cursor: string | null | undefined, length: number): Position | undefined {
  if (cursor === undefined || cursor === null || cursor === '') return undefined
  const [owner, ...position] = decode(cursor)
  if (owner !== key || position.length !== length || !position.every(isSortValue)) {
    throw fault('VALIDATION_ERROR', 'The cursor does not belong to this list with these filters.', {
      recovery: 'Repeat the filters of the first page together with its cursor, or leave cursor out to start again.',
    })
  }
  return position
}

function decode(cursor: string): readonly unknown[] {
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'))
    return Array.isArray(value) ? value : []
  } catch (error) {
    if (error instanceof SyntaxError) return []
    throw error
  }
}

function isSortValue(value: unknown): value is number | null {
  return value === null || Number.isSafeInteger(value)
}
