// Where a page of results ended, so that the next one continues there even when rows were stored in between.

import { createHash } from 'node:crypto'
import { GatewayError } from '../errors.ts'
import type { IndexSpec, SearchHit, SearchQuery } from './spec.ts'

interface Position {
  /** Hits before the next page. */
  readonly offset: number
  /** The last hit of the page. */
  readonly lastId: number
}

const CURSOR = /^(\d{1,6})\.(\d{1,16})\.([\w-]{8})$/

/** Says which question a cursor belongs to; another question must not continue it. */
function fingerprint(spec: IndexSpec, query: SearchQuery): string {
  const asked = JSON.stringify(
    [spec.name, query.text, query.filters ?? [], query.legs ?? 'hybrid'],
    (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value),
  )
  return createHash('sha256').update(asked).digest('base64url').slice(0, 8)
}

export function writeCursor(spec: IndexSpec, query: SearchQuery, position: Position): string {
  return Buffer.from(`${position.offset}.${position.lastId}.${fingerprint(spec, query)}`).toString('base64url')
}

/**
 * Index of the first hit of the page that a query's cursor asks for.
 * @throws GatewayError CURSOR_INVALID when it is damaged or belongs to another question
 */
export function startOf(spec: IndexSpec, query: SearchQuery, hits: readonly SearchHit[]): number {
  if (query.cursor === undefined) return 0
  const written = Buffer.from(query.cursor, 'base64url')
  const [, offset, lastId, print] = CURSOR.exec(written.toString('latin1')) ?? []
  // Decoding is forgiving; only what was handed out is accepted.
  if (print === undefined || written.toString('base64url') !== query.cursor || print !== fingerprint(spec, query)) {
    throw new GatewayError('invalid', 'CURSOR_INVALID', 'The cursor does not belong to this search.', {
      hint: 'Repeat the search without a cursor, or with exactly the parameters that gave it.',
    })
  }
  const last = hits.findIndex((hit) => hit.id === Number(lastId))
  return last === -1 ? Number(offset) : last + 1
}
