// Long lists a page at a time: newest first, and a cursor that still means the same place when rows come and go. Pure.

/** Where a row stands. */
export interface Place {
  /** Epoch milliseconds. */
  readonly at: number
  /** Tells rows of one moment apart; digits, letters, hyphens. */
  readonly key: string
}

export interface Portion<T> {
  readonly rows: readonly T[]
  /** How many there are in all. */
  readonly total: number
  /** Cursor of the next portion; null after the last. */
  readonly next: string | null
}

/** JSON Schema pattern of a cursor. */
export const CURSOR_FORM = '^[0-9]{1,16}-[\\w-]{1,64}$'

/**
 * The newest rows, or those after a cursor.
 * @param cursor as a portion before gave it; undefined for the beginning, and so is anything that is no cursor
 */
export function portionOf<T>(
  rows: readonly T[],
  placeOf: (row: T) => Place,
  { cursor, limit }: { readonly cursor?: string | undefined; readonly limit: number },
): Portion<T> {
  const sorted = rows
    .map((row) => ({ row, place: placeOf(row) }))
    .toSorted((one, other) => order(one.place, other.place))
  const after = cursor === undefined ? undefined : placeIn(cursor)
  const rest = after === undefined ? sorted : sorted.filter(({ place }) => order(place, after) > 0)
  const shown = rest.slice(0, limit)
  const last = shown.at(-1)
  const next = last === undefined || shown.length === rest.length ? null : `${last.place.at}-${last.place.key}`
  return { rows: shown.map(({ row }) => row), total: rows.length, next }
}

function placeIn(cursor: string): Place | undefined {
  const [, at, key] = new RegExp(CURSOR_FORM).exec(cursor) === null ? [] : (/^(\d+)-(.*)$/.exec(cursor) ?? [])
  return at === undefined || key === undefined ? undefined : { at: Number(at), key }
}

/** Newest first; of one moment the greater key, which for numbers is the longer one. */
function order(one: Place, other: Place): number {
  if (one.at !== other.at) return other.at - one.at
  if (one.key.length !== other.key.length) return other.key.length - one.key.length
  return one.key < other.key ? 1 : one.key > other.key ? -1 : 0
}
